import { laneOfUser } from './lanes.ts';
import type { TraceHop } from './hop.ts';

/** What the steps before it, and the whole story, say of a hop. */
interface Told {
  readonly before: TraceHop | undefined;
  readonly index: number;
  readonly wrote: Wrote;
}

/** The writing requests of a story. */
interface Wrote {
  /** Names of those that have a commit. */
  readonly some: ReadonlySet<string>;
  /** Names of those that made an object, by whatever verb: an apply is a PATCH. */
  readonly created: ReadonlySet<string>;
  /** Where a controller makes the pod; -1: none does. */
  readonly podAt: number;
}

const NOTHING_YET: Wrote = { some: new Set(), created: new Set(), podAt: -1 };

/**
 * The eleven steps in which every book tells how a controller's pod comes to run: who asks (1), it is kept (2), the
 * controllers are shown it (3), they make a pod (4), kept (5), shown to the scheduler (6), who binds it (7), kept (8),
 * shown to the node (9), which runs it (10) and says so (11). A pod without a controller has no third to fifth.
 * Who asks makes an object, or changes one (a scale) so that a controller makes the pod.
 */
const STEPS: readonly {
  readonly step: number;
  readonly is: (hop: TraceHop, told: Told) => boolean;
}[] = [
  { step: 1, is: (hop, told) => laneOfUser(hop.user ?? '') === 'client' && asks(hop, told) },
  { step: 2, is: follows },
  { step: 3, is: (hop) => hop.type === 'delivery' && laneOfUser(hop.user ?? '') === 'controllers' && !isPod(hop) },
  { step: 4, is: makesPod },
  { step: 5, is: follows },
  { step: 6, is: (hop) => hop.type === 'delivery' && laneOfUser(hop.user ?? '') === 'scheduler' && isPod(hop) },
  {
    step: 7,
    is: (hop) => hop.type === 'request' && BINDING.test(pathOf(hop)) && hop.error === undefined,
  },
  { step: 8, is: follows },
  { step: 9, is: (hop) => hop.type === 'delivery' && laneOfUser(hop.user ?? '') === 'kubelet' && isPod(hop) },
  {
    step: 10,
    is: (hop) => hop.type === 'runtime' && hop.error === undefined && hop.title.startsWith('start container'),
  },
  {
    step: 11,
    is: (hop) => hop.type === 'request' && laneOfUser(hop.user ?? '') === 'kubelet' && pathOf(hop).endsWith('/status'),
  },
];

/** Which hops are which of the eleven steps, by name; `hops` in order. Steps that are not there are passed over. */
export function stepsOf(hops: readonly TraceHop[]): Map<string, number> {
  const steps = new Map<string, number>();
  let from = 0;
  let before: TraceHop | undefined;
  const wrote = wroteOf(hops);
  for (const { step, is } of STEPS) {
    const at = hops.findIndex((hop, index) => index >= from && is(hop, { before, index, wrote }));
    if (at === -1) continue;
    before = hops[at];
    if (before === undefined) continue;
    steps.set(before.metadata.name, step);
    from = at + 1;
  }
  return steps;
}

/**
 * Finds the steps of a story that goes on: each hop is looked at once, as it comes, and each step is one hop. Steps that are
 * not there are passed over, for nobody knows what is still to come.
 */
export class StepFinder {
  #next = 0;
  #before: TraceHop | undefined;

  /** Undefined: it is none of those that are left. */
  stepOf(hop: TraceHop): number | undefined {
    const told = { before: this.#before, index: 0, wrote: NOTHING_YET };
    const at = STEPS.findIndex(({ is }, index) => index >= this.#next && is(hop, told));
    if (at === -1) return undefined;
    this.#next = at + 1;
    this.#before = hop;
    return STEPS[at]?.step;
  }
}

function wroteOf(hops: readonly TraceHop[]): Wrote {
  const some = new Set<string>();
  const created = new Set<string>();
  for (const { type, cause, detail = {} } of hops) {
    if (type !== 'commit' || cause.type !== 'hop') continue;
    some.add(cause.hop);
    if (detail['operation'] === 'create') created.add(cause.hop);
  }
  return { some, created, podAt: hops.findIndex(makesPod) };
}

function asks(hop: TraceHop, { index, wrote }: Told): boolean {
  if (hop.type !== 'request' || hop.error !== undefined || BINDING.test(pathOf(hop))) return false;
  const { name } = hop.metadata;
  return isCreate(hop) || wrote.created.has(name) || (index < wrote.podAt && wrote.some.has(name));
}

function makesPod(hop: TraceHop): boolean {
  return isCreate(hop) && laneOfUser(hop.user ?? '') === 'controllers' && isPod(hop);
}

function isCreate(hop: TraceHop): boolean {
  const { type, detail = {}, error } = hop;
  return type === 'request' && error === undefined && detail['verb'] === 'create' && !BINDING.test(pathOf(hop));
}

/** Of a pod by its subresource, or as an object of its own. */
const BINDING = /\/bindings?$/;

/** What was asked, without the query in which clients say who they are. */
function pathOf({ title }: TraceHop): string {
  return title.replace(/\?.*/s, '');
}

function isPod({ object }: TraceHop): boolean {
  return object?.group === '' && object.resource === 'pods';
}

/** The commit of the request before. */
function follows(hop: TraceHop, { before }: Told): boolean {
  return hop.type === 'commit' && hop.cause.type === 'hop' && hop.cause.hop === before?.metadata.name;
}
