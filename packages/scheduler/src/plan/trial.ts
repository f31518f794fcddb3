import type { Failure, NodeTest, Plugin, Refusal } from './framework.ts';
import type { ClusterState } from './cluster-state.ts';
import type { PodDemand } from './demand.ts';
import type { Evidence } from './evidence.ts';
import type { PluginSet } from './plugin-set.ts';
import type { Simulation, SimulationObserver } from './snapshot.ts';

/** Whose filters are asked about which pod. */
export interface TrialInput {
  readonly plugins: PluginSet;
  readonly demand: PodDemand;
  readonly state: ClusterState;
}

/** Tests of local plugins, which look at the node as it is when they are asked: whoever asks again and again makes them once. */
type PreparedTests = Map<Plugin, NodeTest | undefined>;

/** Asks every filter about one node as the state is now; undefined: it fits. */
export function testNode(input: TrialInput, slot: number, prepared?: PreparedTests): Refusal | undefined {
  for (const plugin of input.plugins.filter) {
    const refusal = testOf(plugin, input, prepared)?.(slot);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function testOf(plugin: Plugin, { demand, state }: TrialInput, prepared?: PreparedTests): NodeTest | undefined {
  if (prepared === undefined || plugin.isLocal !== true) return plugin.filter?.(demand, state);
  const known = prepared.get(plugin);
  if (known !== undefined || prepared.has(plugin)) return known;
  const test = plugin.filter?.(demand, state);
  prepared.set(plugin, test);
  return test;
}

/**
 * Whether the pod fits on a node, with and without the pods that wait for room there and are at least as important:
 * with them, as they come first; without them, as they may never come and must not be leant on (affinity).
 */
export function fitsNow(input: TrialInput, slot: number, prepared?: PreparedTests): Refusal | undefined {
  const { demand, state } = input;
  const waiting = state.nominatedOn(slot).filter((w) => w.uid !== demand.uid && w.priority >= demand.priority);
  if (waiting.length > 0) {
    const refusal = state.simulate((simulation) => {
      for (const pod of waiting) simulation.add(pod, slot);
      return testNode(input, slot, prepared);
    }, observerOf(input));
    if (refusal !== undefined) return refusal;
  }
  return testNode(input, slot, prepared);
}

/** What the pods that wait for room on a node leave of it for a pod. */
export interface LeftRoom {
  /** Of the local filters, with those pods there: nothing but the node and those pods can change it. */
  readonly refusal?: Refusal;
  /** Others have something to say with those pods there: the node has to be asked each time. */
  readonly isUnsure?: boolean;
}

const ALL_LEFT: LeftRoom = {};
const UNSURE: LeftRoom = { isUnsure: true };

/** As `fitsNow` with the waiting pods, as far as it holds until the node or who waits there changes. */
export function leftRoom(input: TrialInput, slot: number, localTests: readonly NodeTest[]): LeftRoom {
  const { plugins, demand, state } = input;
  const waiting = state.nominatedOn(slot).filter((w) => w.priority >= demand.priority);
  if (waiting.length === 0) return ALL_LEFT;
  return state.simulate((simulation): LeftRoom => {
    for (const pod of waiting) simulation.add(pod, slot);
    for (const test of localTests) {
      const refusal = test(slot);
      if (refusal !== undefined) return { refusal };
    }
    const others = plugins.filter.filter((plugin) => plugin.isLocal !== true);
    return others.some((plugin) => plugin.filter?.(demand, state) !== undefined) ? UNSURE : ALL_LEFT;
  }, observerOf(input));
}

/** Lets plugins with state of their own follow a simulation. */
function observerOf({ plugins, demand }: TrialInput): SimulationObserver {
  return {
    added: (pod, slot) => {
      for (const plugin of plugins.preFilter) plugin.addPod?.(demand, pod, slot);
    },
    removed: (pod, slot) => {
      for (const plugin of plugins.preFilter) plugin.removePod?.(demand, pod, slot);
    },
  };
}

/** What PostFilter is told. What was said of each node is copied, as it may look at it after the next decision. */
export function makeFailure(input: TrialInput, evidence: Evidence, preFilter: Refusal | undefined): Failure {
  let verdict: Uint16Array | undefined;
  const { table } = evidence;
  if (input.plugins.postFilter.length > 0) verdict = evidence.verdict.slice(0, evidence.nodes.end);
  const observer = observerOf(input);
  const { byName } = input.plugins;
  // A trial is over before anything else happens: no column that a test has in its hands is another one meanwhile.
  let prepared: PreparedTests | undefined;
  return {
    ...(preFilter === undefined ? {} : { preFilter }),
    refusalAt: (slot) => table[verdict?.[slot] ?? 0],
    test: (slot) => fitsNow(input, slot, prepared),
    isOfNodeAlone: ({ plugin }) => byName.get(plugin)?.isLocal === true,
    simulate<T>(trial: (simulation: Simulation) => T): T {
      prepared = new Map();
      try {
        return input.state.simulate(trial, observer);
      } finally {
        prepared = undefined;
      }
    },
  };
}
