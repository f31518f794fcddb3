import { DEFAULT_FEATURES } from '@binnacle/api';
import type { Features } from '@binnacle/api';
import type { Clock } from '@binnacle/base';
import type { AdmissionMeter, Measures, StoreMeter } from '../ports/measures.ts';
import type { RequestInfo } from '../request/info.ts';
import { AccessFigures } from './access-figures.ts';
import { AdmissionFigures } from './admission-figures.ts';
import { AllocationFigures } from './allocation-figures.ts';
import { AvailabilityFigures } from './availability-figures.ts';
import { CallFigures } from './call-figures.ts';
import { ControllerFigures } from './controller-figures.ts';
import { FeatureFigures } from './feature-figures.ts';
import { QueueFigures } from './queue-figures.ts';
import { RequestFigures } from './request-figures.ts';
import { SchedulerFigures } from './scheduler-figures.ts';
import { CounterFamily, HistogramFamily } from './series.ts';
import type { Figures } from './series.ts';
import { StreamFigures } from './stream-figures.ts';
import { TokenFigures } from './token-figures.ts';
import { TrustFigures } from './trust-figures.ts';

const STORE_SECONDS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const ADMISSION_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
/** What the server counts of itself, in upstream's names (k8s.io/apiserver, endpoints/metrics and others). Bounded. */
export class Metrics implements Measures {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #more: readonly Figures[];
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
    STORE_SECONDS,
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

  /** Of requests and watches. */
  readonly requests = new RequestFigures();
  /** Of streams of pods. */
  readonly streams = new StreamFigures();
  /** Of authentication and authorisation. */
  readonly access = new AccessFigures();
  /** Of what callers show and of who decides. */
  readonly trust = new TrustFigures();
  /** Of policies, webhooks and standards. */
  readonly admission = new AdmissionFigures(() => this.now());
  /** Of tokens of accounts. */
  readonly tokens = new TokenFigures();
  /** Of addresses and ports of Services. */
  readonly allocations = new AllocationFigures(() => this.now());
  /** Of queues of work in this process. */
  readonly queues = new QueueFigures(() => this.now());
  /** Of controllers in this process. */
  readonly controllers = new ControllerFigures();
  /** Of schedulers in this process. */
  readonly schedulers = new SchedulerFigures();
  /** Of other API servers behind this one. */
  readonly availability = new AvailabilityFigures();
  /** Of callers in this process. */
  readonly calls = new CallFigures(() => this.now());

  /** `figures`: what others of the process know, shown behind everything else. */
  constructor(
    clock: Pick<Clock, 'monotonic'>,
    {
      figures = [],
      features = DEFAULT_FEATURES,
    }: { readonly figures?: readonly Figures[]; readonly features?: Features } = {},
  ) {
    this.#clock = clock;
    this.#more = [new FeatureFigures(features), ...figures];
  }

  /** What policy keeps score of. */
  get ofPolicy(): {
    readonly measures: AdmissionFigures;
    readonly tokenMeasures: TokenFigures;
    readonly allocationMeasures: AllocationFigures;
    readonly accessMeasures: TrustFigures;
  } {
    const { admission, tokens, allocations, trust } = this;
    return { measures: admission, tokenMeasures: tokens, allocationMeasures: allocations, accessMeasures: trust };
  }

  /** Seconds since some moment; only differences mean something. */
  now(): number {
    return this.#clock.monotonic() / 1000;
  }

  /** A request goes on as long as its client likes; what comes back is to be called when it ends, once. */
  lasting(info: RequestInfo, since = this.now()): () => void {
    return this.requests.lasting(info, () => this.now(), since);
  }

  admissionMeter(type: 'admit' | 'validate', plugin?: string): AdmissionMeter {
    const series = new Remembered((operation, rejected) => {
      const labels = [operation, String(rejected), type];
      return plugin === undefined ? this.#passes.series(labels) : this.#plugins.series([plugin, ...labels]);
    });
    return {
      took: (operation, rejected, seconds) => series.of(operation, rejected)?.observe(seconds),
      passing: (operation) => series.of(operation, false),
    };
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
    this.requests.render(out);
    this.streams.render(out);
    this.access.render(out);
    this.trust.render(out);
    for (const family of [this.#passes, this.#plugins, this.#stored, this.#storeCalls, this.#storeErrors]) {
      family.render(out);
    }
    const { admission, tokens, allocations, availability, queues, controllers, schedulers, calls } = this;
    const own = [admission, tokens, allocations, availability, queues, controllers, schedulers, calls];
    const parts = [...own, ...this.#more];
    for (const part of parts) part.render(out);
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
