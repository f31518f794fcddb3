import type { Clock } from '@binnacle/base';
import type { AdmissionMeasure, Measures, StoreMeasure } from '../ports/measures.ts';
import type { RequestInfo } from '../request/info.ts';
import { CounterFamily, HistogramFamily } from './series.ts';

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
    const labels = labelsOf(info, at.dryRun);
    this.#requests.add([...labels, String(code)]);
    if (info.verb !== 'watch') this.#durations.observe(labels, at.seconds);
  }

  authenticated(username: string): void {
    this.#attempts.add(['success']);
    this.#users.add([KNOWN_USERS.has(username) ? username : 'other']);
  }

  unauthenticated(): void {
    this.#attempts.add(['failure']);
  }

  admission({ plugin, type, operation, rejected, seconds }: AdmissionMeasure): void {
    const labels = [operation, String(rejected), type];
    if (plugin === undefined) this.#passes.observe(labels, seconds);
    else this.#plugins.observe([plugin, ...labels], seconds);
  }

  store({ operation, group, resource, failed, seconds }: StoreMeasure): void {
    const labels = [operation, group, resource];
    this.#storeCalls.add(labels);
    if (failed) this.#storeErrors.add(labels);
    this.#stored.observe(labels, seconds);
  }

  /** Prometheus' text form. Rows of one name stand together. */
  render(extra: readonly (readonly [name: string, type: string, value: number])[]): string {
    const out: string[] = [];
    for (const family of [
      ...[this.#requests, this.#durations, this.#attempts, this.#users, this.#passes, this.#plugins],
      ...[this.#stored, this.#storeCalls, this.#storeErrors],
    ]) {
      family.render(out);
    }
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
