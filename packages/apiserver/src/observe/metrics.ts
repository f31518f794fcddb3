import type { Clock } from '@binnacle/base';
import type { AdmissionMeter, Measures, StoreMeter } from '../ports/measures.ts';
import type { RequestInfo } from '../request/info.ts';
import { AdmissionFigures } from './admission-figures.ts';
import { CounterFamily, HistogramFamily } from './series.ts';
import type { Counter, Histogram, Values } from './series.ts';

const REQUEST_SECONDS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const ADMISSION_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const REQUEST_LABELS = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'];
/** Upstream counts these by the HTTP method. */
const METHODS: { readonly [verb: string]: string } = { create: 'POST', update: 'PUT' };
/** Names that upstream tells apart from all others, so that users do not fill the memory. */
const KNOWN_USERS: ReadonlySet<string> = new Set([
  ...['admin', 'client', 'kube_proxy', 'kubelet', 'system:apiserver', 'system:kube-controller-manager'],
  ...['system:kube-scheduler', 'system:anonymous', 'system:kube-proxy'],
]);

/** Sorts of requests whose series are kept at hand: callers may make names up. */
const SORTS_MAX = 4096;

/** The series of one sort of request, found once. */
interface RequestSeries {
  readonly labels: Values;
  readonly durations: Histogram | undefined;
  readonly codes: Map<number, Counter | undefined>;
}

/** What the server counts of itself, in upstream's names (k8s.io/apiserver, endpoints/metrics and others). Bounded. */
export class Metrics implements Measures {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #requests = new CounterFamily({
    name: 'apiserver_request_total',
    help: 'Requests answered.',
    labels: [...REQUEST_LABELS, 'code'],
  });
  readonly #durations = new HistogramFamily(
    { name: 'apiserver_request_duration_seconds', help: 'How long answers took.', labels: REQUEST_LABELS },
    REQUEST_SECONDS,
  );
  readonly #deprecated = new CounterFamily({
    name: 'apiserver_requested_deprecated_apis',
    help: 'Versions on their way out that were asked for.',
    labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
    type: 'gauge',
  });
  readonly #attempts = new CounterFamily({
    name: 'authentication_attempts',
    help: 'Whether callers were who they said.',
    labels: ['result'],
  });
  readonly #users = new CounterFamily({
    name: 'authenticated_user_requests',
    help: 'Requests by users that the system knows.',
    labels: ['username'],
  });
  readonly #passes = new HistogramFamily(
    {
      name: 'apiserver_admission_step_admission_duration_seconds',
      help: 'How long all admission plugins took.',
      labels: ['operation', 'rejected', 'type'],
    },
    ADMISSION_SECONDS,
  );
  readonly #plugins = new HistogramFamily(
    {
      name: 'apiserver_admission_controller_admission_duration_seconds',
      help: 'How long one admission plugin took.',
      labels: ['name', 'operation', 'rejected', 'type'],
    },
    ADMISSION_SECONDS,
  );
  readonly #stored = new HistogramFamily(
    {
      name: 'etcd_request_duration_seconds',
      help: 'How long the store took, whatever it is.',
      labels: ['operation', 'group', 'resource'],
    },
    REQUEST_SECONDS,
  );
  readonly #storeCalls = new CounterFamily({
    name: 'etcd_requests_total',
    help: 'Calls of the store.',
    labels: ['operation', 'group', 'resource'],
  });
  readonly #storeErrors = new CounterFamily({
    name: 'etcd_request_errors_total',
    help: 'Calls of the store that failed.',
    labels: ['operation', 'group', 'resource'],
  });

  /** Of policies, webhooks and standards. */
  readonly admission = new AdmissionFigures(() => this.now());

  readonly #sorts = new Map<string, RequestSeries>();
  #known: Counter | undefined;
  #otherUsers: Counter | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Seconds since some moment; only differences mean something. */
  now(): number {
    return this.#clock.monotonic() / 1000;
  }

  observe(info: RequestInfo, code: number, at: { readonly seconds: number; readonly dryRun: boolean }): void {
    // Paths that do not exist are made up by callers.
    if (code === 404 && !info.isResource) return;
    const { labels, codes, durations } = this.#seriesOf(info, at.dryRun);
    let counter = codes.get(code);
    if (counter === undefined) codes.set(code, (counter = this.#requests.series([...labels, String(code)])));
    if (counter !== undefined) counter.count++;
    durations?.observe(at.seconds);
  }

  #seriesOf(info: RequestInfo, dryRun: boolean): RequestSeries {
    const { verb, group, version, resource, subresource, path } = info;
    const key = info.isResource
      ? `${verb} ${group} ${version} ${resource} ${subresource} ${scopeOf(info)} ${dryRun}`
      : `${path} ${dryRun}`;
    const known = this.#sorts.get(key);
    if (known !== undefined) return known;
    const labels = labelsOf(info, dryRun);
    const series = {
      labels,
      durations: verb === 'watch' ? undefined : this.#durations.series(labels),
      codes: new Map<number, Counter | undefined>(),
    };
    if (this.#sorts.size < SORTS_MAX) this.#sorts.set(key, series);
    return series;
  }

  /** A version was asked for that is on its way out; none has a release yet in which it is gone. */
  deprecated({ group, version, resource, subresource }: RequestInfo): void {
    this.#deprecated.set([group, version, resource, subresource, ''], 1);
  }

  authenticated(username: string): void {
    this.#known ??= this.#attempts.series(['success']);
    if (this.#known !== undefined) this.#known.count++;
    if (KNOWN_USERS.has(username)) return this.#users.add([username]);
    this.#otherUsers ??= this.#users.series(['other']);
    if (this.#otherUsers !== undefined) this.#otherUsers.count++;
  }

  unauthenticated(): void {
    this.#attempts.add(['failure']);
  }

  admissionMeter(type: 'admit' | 'validate', plugin?: string): AdmissionMeter {
    const series = new Remembered((operation, rejected) => {
      const labels = [operation, String(rejected), type];
      return plugin === undefined ? this.#passes.series(labels) : this.#plugins.series([plugin, ...labels]);
    });
    return { took: (operation, rejected, seconds) => series.of(operation, rejected)?.observe(seconds) };
  }

  storeMeter(group: string, resource: string): StoreMeter {
    const series = new Remembered((operation, failed) => {
      const labels = [operation, group, resource];
      return {
        calls: this.#storeCalls.series(labels),
        errors: failed ? this.#storeErrors.series(labels) : undefined,
        seconds: this.#stored.series(labels),
      };
    });
    return {
      took(operation, failed, seconds) {
        const { calls, errors, seconds: all } = series.of(operation, failed);
        if (calls !== undefined) calls.count++;
        if (errors !== undefined) errors.count++;
        all?.observe(seconds);
      },
    };
  }

  /** Prometheus' text form. Rows of one name stand together. */
  render(extra: readonly (readonly [name: string, type: string, value: number])[]): string {
    const out: string[] = [];
    for (const family of [
      ...[this.#requests, this.#durations, this.#deprecated, this.#attempts, this.#users, this.#passes, this.#plugins],
      ...[this.#stored, this.#storeCalls, this.#storeErrors],
    ]) {
      family.render(out);
    }
    this.admission.render(out);
    let last = '';
    for (const [name, type, value] of extra) {
      const family = name.replace(/\{.*/, '');
      if (family !== last) out.push(`# TYPE ${family} ${type}`);
      last = family;
      out.push(`${name} ${value}`);
    }
    return `${out.join('\n')}\n`;
  }
}

/** Made once for each operation and how it ended. */
class Remembered<T> {
  readonly #make: (operation: string, bad: boolean) => T;
  readonly #good = new Map<string, T>();
  readonly #bad = new Map<string, T>();

  constructor(make: (operation: string, bad: boolean) => T) {
    this.#make = make;
  }

  /** `operation`: one of a handful. */
  of(operation: string, bad: boolean): T {
    const known = bad ? this.#bad : this.#good;
    let one = known.get(operation);
    if (one === undefined) known.set(operation, (one = this.#make(operation, bad)));
    return one;
  }
}

function labelsOf(info: RequestInfo, dryRun: boolean): readonly string[] {
  const { group, version, resource, subresource, verb } = info;
  const dry = dryRun ? 'All' : '';
  if (!info.isResource) return ['GET', dry, '', '', '', info.path, '', 'apiserver'];
  return [METHODS[verb] ?? verb.toUpperCase(), dry, group, version, resource, subresource, scopeOf(info), 'apiserver'];
}

/** One object, those of a namespace, or those of the cluster. */
function scopeOf({ verb, name, namespace }: RequestInfo): string {
  if (name !== '' || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}
