/** What schedulers of this process do, in upstream's names (pkg/scheduler/metrics). */
import type {
  GaugeSink,
  SchedulerGauge,
  SchedulerMeasures,
  SchedulerSpread,
  SchedulerTally,
  Spread,
  Tally,
} from '@binnacle/base';
import { DeviceFigures } from './device-figures.ts';
import { Counter, CounterFamily, Histogram, HistogramFamily } from './series.ts';
import type { Figures, Values } from './series.ts';

interface Described {
  readonly help: string;
  readonly labels: readonly string[];
}

interface Bounded extends Described {
  readonly bounds: readonly number[];
}

const TALLIES: { readonly [figure in SchedulerTally]: Described } = {
  schedule_attempts_total: {
    help: 'How often a pod was tried, by what came of it: a node, no node that it fits, or something that went wrong.',
    labels: ['result', 'profile'],
  },
  queue_incoming_pods_total: {
    help: 'Pods that came to wait in a queue, by what brought them there.',
    labels: ['queue', 'event'],
  },
  preemption_attempts_total: { help: 'How often room was looked for that less important pods have.', labels: [] },
  plugin_evaluation_total: {
    help: 'How often a plugin had something to say of a pod at PreFilter, Filter or Score.',
    labels: ['plugin', 'extension_point', 'profile'],
  },
  pod_scheduled_after_flush_total: {
    help: 'Pods that found a node after no event, but only time, let them try again.',
    labels: [],
  },
};

const SPREADS: { readonly [figure in SchedulerSpread]: Bounded } = {
  scheduling_attempt_duration_seconds: {
    help: 'How long one try of a pod took, up to its binding.',
    labels: ['result', 'profile'],
    bounds: powers(0.001, 2, 15),
  },
  scheduling_algorithm_duration_seconds: {
    help: 'How long it took to decide where a pod goes.',
    labels: [],
    bounds: powers(0.001, 2, 15),
  },
  pod_scheduling_sli_duration_seconds: {
    help: 'How long pods took from their way into the queue to their binding, all tries included.',
    labels: ['attempts'],
    bounds: powers(0.01, 2, 20),
  },
  pod_scheduling_attempts: {
    help: 'How many tries pods took that were bound.',
    labels: [],
    bounds: powers(1, 2, 5),
  },
  preemption_victims: { help: 'How many pods had to go for one.', labels: [], bounds: powers(1, 2, 7) },
  framework_extension_point_duration_seconds: {
    help: 'How long all plugins of an extension point took; scores are part of Filter.',
    labels: ['extension_point', 'status', 'profile'],
    bounds: powers(0.0001, 2, 12),
  },
  plugin_execution_duration_seconds: {
    help: 'How long one plugin took at an extension point, of every tenth pod.',
    labels: ['plugin', 'extension_point', 'status'],
    bounds: powers(0.00001, 1.5, 20),
  },
  permit_wait_duration_seconds: {
    help: 'How long pods waited that a plugin held back.',
    labels: ['result'],
    bounds: powers(0.001, 2, 15),
  },
};

const GAUGES: { readonly [figure in SchedulerGauge]: Described } = {
  pending_pods: {
    help: 'Pods that wait for a node: next in line, backing off, refused by all nodes, or held by gates.',
    labels: ['queue'],
  },
  unschedulable_pods: {
    help: 'Pods that wait, by each plugin that refused them at their last try.',
    labels: ['plugin', 'profile'],
  },
  cache_size: {
    help: 'Nodes, pods with a node, and those of them whose node the API does not tell yet.',
    labels: ['type'],
  },
  goroutines: { help: 'Work that is under way beside the decisions.', labels: ['operation'] },
};

export class SchedulerFigures implements SchedulerMeasures, Figures {
  /** Of devices that pods wait for. */
  readonly devices = new DeviceFigures();
  readonly #tallies = new Map<SchedulerTally, CounterFamily>();
  readonly #spreads = new Map<SchedulerSpread, HistogramFamily>();
  readonly #readers = new Set<(tell: GaugeSink) => void>();

  tally(figure: SchedulerTally, values: Values): Tally {
    let family = this.#tallies.get(figure);
    if (family === undefined) {
      const { help, labels } = TALLIES[figure];
      this.#tallies.set(figure, (family = new CounterFamily({ name: `scheduler_${figure}`, help, labels })));
    }
    return family.series(values) ?? new Counter('');
  }

  spread(figure: SchedulerSpread, values: Values): Spread {
    const { help, labels, bounds } = SPREADS[figure];
    let family = this.#spreads.get(figure);
    if (family === undefined) {
      this.#spreads.set(figure, (family = new HistogramFamily({ name: `scheduler_${figure}`, help, labels }, bounds)));
    }
    return family.series(values) ?? new Histogram(bounds);
  }

  gauges(read: (tell: GaugeSink) => void): () => void {
    this.#readers.add(read);
    return () => {
      this.#readers.delete(read);
    };
  }

  render(out: string[]): void {
    for (const family of this.#tallies.values()) family.render(out);
    for (const family of this.#spreads.values()) family.render(out);
    this.#renderGauges(out);
    this.devices.render(out);
  }

  /** Made anew each time: what is not there any more is not shown. Several schedulers of a process are told together. */
  #renderGauges(out: string[]): void {
    const families = new Map<SchedulerGauge, CounterFamily>();
    const tell: GaugeSink = (figure, values, value) => {
      let family = families.get(figure);
      if (family === undefined) {
        const { help, labels } = GAUGES[figure];
        family = new CounterFamily({ name: `scheduler_${figure}`, help, labels, type: 'gauge' });
        families.set(figure, family);
      }
      family.add(values, value);
    };
    for (const tellAll of this.#readers) tellAll(tell);
    for (const family of families.values()) family.render(out);
  }
}

/** `count` bounds, each `factor` times the one before. */
function powers(first: number, factor: number, count: number): readonly number[] {
  const bounds: number[] = [];
  for (let bound = first; bounds.length < count; bound *= factor) bounds.push(bound);
  return bounds;
}
