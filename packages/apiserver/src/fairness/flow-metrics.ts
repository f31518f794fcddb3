import { labelsText } from '../observe/series.ts';
import type { Histogram } from '../observe/series.ts';
import type { FlowControl } from './flow-control.ts';
import type { FlowStats } from './flow-stats.ts';
import type { PriorityLevel } from './priority-level.ts';

const PREFIX = 'apiserver_flowcontrol_';
const EXPECTED_SECONDS = 0.003;

type Labels = readonly (readonly [name: string, value: string])[];

/** One series of a family. */
interface Sample {
  readonly labels: Labels;
  readonly value: number | Histogram;
}

interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Everything that is counted of flow control, as lines of Prometheus' text form, under upstream's names. */
export function renderFlowMetrics(control: FlowControl): string[] {
  const levels = [...control.levels.all.values()];
  const now = control.now();
  for (const level of levels) level.pass(now);
  const out: string[] = [];
  for (const family of [
    ...flowFamilies(levels),
    ...flowHistograms(levels),
    ...levelFamilies(levels),
    ...demandFamilies(control, levels),
  ]) {
    renderFamily(family, out);
  }
  return out;
}

function renderFamily({ name, type, help, samples }: Family, out: string[]): void {
  if (samples.length === 0) return;
  const full = PREFIX + name;
  out.push(`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`);
  for (const { labels, value } of samples) {
    const text = labelsText(
      labels.map(([label]) => label),
      labels.map(([, one]) => one),
    );
    if (typeof value === 'number') out.push(text === '' ? `${full} ${value}` : `${full}{${text}} ${value}`);
    else value.render(full, text, out);
  }
}

/** By flow schema and level. */
function flowFamilies(levels: readonly PriorityLevel[]): Family[] {
  const of = perFlow(levels);
  return [
    {
      name: 'rejected_requests_total',
      type: 'counter',
      help: 'Requests that were sent away.',
      samples: ofFlows(levels, ({ refused }) =>
        [...refused].map(([why, count]) => [[['reason', why]], count] as const),
      ),
    },
    {
      name: 'dispatched_requests_total',
      type: 'counter',
      help: 'Requests that were served.',
      samples: of((s) => s.dispatched),
    },
    { name: 'current_inqueue_requests', type: 'gauge', help: 'Requests that wait.', samples: of((s) => s.waiting) },
    {
      name: 'current_inqueue_seats',
      type: 'gauge',
      help: 'Seats that are waited for.',
      samples: of((s) => s.waitingSeats),
    },
    {
      name: 'current_executing_requests',
      type: 'gauge',
      help: 'Requests in service.',
      samples: of((s) => s.executing),
    },
    { name: 'current_executing_seats', type: 'gauge', help: 'Seats taken.', samples: of((s) => s.executingSeats) },
    {
      name: 'request_dispatch_no_accommodation_total',
      type: 'counter',
      help: 'Times that a request had its turn and there were too few seats for it.',
      samples: of((s) => s.heldBack),
    },
  ];
}

/** Distributions by flow schema and level. */
function flowHistograms(levels: readonly PriorityLevel[]): Family[] {
  const of = perFlow(levels);
  return [
    {
      name: 'request_queue_length_after_enqueue',
      type: 'histogram',
      help: 'How long the queue of a request was, with it.',
      samples: of((s) => s.queueLength),
    },
    {
      name: 'watch_count_samples',
      type: 'histogram',
      help: 'Watchers of what was changed.',
      samples: of((s) => s.watchers),
    },
    {
      name: 'work_estimated_seats',
      type: 'histogram',
      help: 'Seats that requests were taken to need.',
      samples: of((s) => s.seats),
    },
    {
      name: 'request_wait_duration_seconds',
      type: 'histogram',
      help: 'How long requests waited in their queue.',
      samples: ofFlows(levels, ({ waited }) => [
        [[['execute', 'true']], waited.true],
        [[['execute', 'false']], waited.false],
      ]),
    },
    {
      name: 'request_execution_seconds',
      type: 'histogram',
      help: 'How long requests were served; of watches, until they stood.',
      samples: ofFlows(levels, ({ executed }) => [
        [[['type', 'regular']], executed.regular],
        [[['type', 'watch']], executed.watch],
      ]),
    },
  ];
}

/** One figure of each flow, under no more labels than its own. */
function perFlow(levels: readonly PriorityLevel[]): (pick: (stats: FlowStats) => number | Histogram) => Sample[] {
  return (pick) => ofFlows(levels, (stats) => [[[], pick(stats)]]);
}

function ofFlows(
  levels: readonly PriorityLevel[],
  pick: (stats: FlowStats) => readonly (readonly [more: Labels, value: number | Histogram])[],
): Sample[] {
  return levels.flatMap(({ settings, stats }) =>
    [...stats.values()].flatMap((one) => {
      const labels: Labels = [
        ['priority_level', settings.name],
        ['flow_schema', one.schema],
      ];
      return pick(one).map(([more, value]) => ({ labels: [...labels, ...more], value }));
    }),
  );
}

/** By level: its limits, its virtual time, how full it was. */
function levelFamilies(levels: readonly PriorityLevel[]): Family[] {
  const gauge = (name: string, help: string, pick: (level: PriorityLevel) => number): Family => {
    return {
      name,
      type: 'gauge',
      help,
      samples: levels.map((level) => ({ labels: named(level), value: pick(level) })),
    };
  };
  const timed = (
    name: string,
    help: string,
    parts: readonly (readonly [phase: string, 'seats' | 'executing' | 'waiting'])[],
  ): Family => ({
    name,
    type: 'histogram',
    help,
    samples: levels.flatMap((level) =>
      parts.map(([phase, which]) => ({
        labels: [['phase', phase], ...named(level)] as const,
        value: level.ratios[which].histogram,
      })),
    ),
  });
  return [
    gauge('nominal_limit_seats', 'Seats of each level by its shares.', ({ limits }) => limits.nominal),
    gauge('lower_limit_seats', 'Seats that each level keeps.', ({ limits }) => limits.lowest),
    gauge('upper_limit_seats', 'Seats that each level has at most.', ({ limits }) => limits.highest),
    gauge('current_limit_seats', 'Seats that each level has now.', ({ queues }) => queues.limit),
    gauge('current_r', 'Virtual time of the last change.', ({ queues }) => queues.virtual),
    gauge('dispatch_r', 'Virtual time of the last dispatch.', ({ lastDispatch }) => lastDispatch.r),
    gauge('latest_s', 'Virtual start of what was dispatched last.', ({ lastDispatch }) => lastDispatch.s),
    bounds('next_s_bounds', 'Least and greatest virtual start of what is next in its queue.', { levels, discount: 0 }),
    bounds('next_discounted_s_bounds', 'The same, less what is in progress.', { levels, discount: EXPECTED_SECONDS }),
    timed('priority_level_seat_utilization', 'Nanoseconds by the part of the seats that was taken.', [
      ['executing', 'seats'],
    ]),
    timed('priority_level_request_utilization', 'Nanoseconds by the part of the limit that waited or was served.', [
      ['waiting', 'waiting'],
      ['executing', 'executing'],
    ]),
  ];
}

function bounds(name: string, help: string, of: { levels: readonly PriorityLevel[]; discount: number }): Family {
  const { levels, discount } = of;
  const samples = levels.flatMap((level) => {
    const starts = level.queues.queues
      .filter(({ waiting }) => waiting.size > 0)
      .map(({ nextDispatchR, seatsInUse }) => nextDispatchR - seatsInUse * discount);
    if (starts.length === 0) return [];
    const least = starts.reduce((a, b) => Math.min(a, b));
    const greatest = starts.reduce((a, b) => Math.max(a, b));
    return [
      { labels: [...named(level), ['bound', 'min']] as const, value: least },
      { labels: [...named(level), ['bound', 'max']] as const, value: greatest },
    ];
  });
  return { name, type: 'gauge', help, samples };
}

function demandFamilies({ levels: all }: FlowControl, levels: readonly PriorityLevel[]): Family[] {
  const gauge = (name: string, help: string, pick: (level: PriorityLevel) => number): Family => {
    return {
      name,
      type: 'gauge',
      help,
      samples: levels.map((level) => ({ labels: named(level), value: pick(level) })),
    };
  };
  return [
    {
      name: 'demand_seats',
      type: 'histogram',
      help: 'Nanoseconds by the seats asked for, as a part of the limit.',
      samples: levels.map((level) => ({ labels: named(level), value: level.ratios.demand.histogram })),
    },
    gauge('demand_seats_high_watermark', 'Most seats asked for in the last period.', ({ demand }) => demand.highest),
    gauge('demand_seats_average', 'Seats asked for on average in the last period.', ({ demand }) => demand.average),
    gauge(
      'demand_seats_stdev',
      'Standard deviation of the seats asked for in the last period.',
      ({ demand }) => demand.deviation,
    ),
    gauge('demand_seats_smoothed', 'Seats asked for, smoothed.', ({ demand }) => demand.smoothed),
    gauge('target_seats', 'Seats that each level should have.', ({ target }) => target),
    {
      name: 'seat_fair_frac',
      type: 'gauge',
      help: 'The part of its target that every level may have.',
      samples: [{ labels: [], value: all.fairFraction }],
    },
  ];
}

function named({ settings }: PriorityLevel): Labels {
  return [['priority_level', settings.name]];
}
