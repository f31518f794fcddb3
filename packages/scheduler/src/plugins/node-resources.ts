import { MAX_NODE_SCORE } from '../framework.ts';
import type { NodeScore, NodeTest, Plugin, Refusal } from '../framework.ts';
import { CPU, EPHEMERAL_STORAGE, MEMORY, POD_COUNT } from '../plan/demand.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { NodeColumns } from '../plan/node-columns.ts';

interface Need {
  readonly column: number;
  readonly amount: number;
  readonly reason: string;
}

function needsOf(demand: PodDemand, nodes: NodeColumns): Need[] {
  const needs: Need[] = [{ column: POD_COUNT, amount: 1, reason: 'Too many pods' }];
  const add = (column: number, amount: number, resource: string): void => {
    if (amount > 0) needs.push({ column, amount, reason: `Insufficient ${resource}` });
  };
  add(CPU, demand.milliCpu, 'cpu');
  add(MEMORY, demand.memory, 'memory');
  add(EPHEMERAL_STORAGE, demand.ephemeralStorage, 'ephemeral-storage');
  for (const { resource, amount } of demand.others) add(nodes.resourceColumn(resource), amount, resource);
  return needs;
}

/** Refusals by the set of what is short, so that no node makes a new one. */
function refusalTable(needs: readonly Need[]): (short: number, tooSmall: boolean) => Refusal {
  const made = new Map<number, Refusal>();
  return (short, tooSmall) => {
    const key = short * 2 + (tooSmall ? 1 : 0);
    let refusal = made.get(key);
    if (refusal === undefined) {
      const reasons = needs.filter((_, i) => (short & (1 << i)) !== 0).map((n) => n.reason);
      refusal = { plugin: 'NodeResourcesFit', reasons, unresolvable: tooSmall };
      made.set(key, refusal);
    }
    return refusal;
  };
}

/** What may be asked of a column without being looked at: nothing is short of nothing, not even an overbooked node. */
const NOTHING = -Infinity;

function fits(demand: PodDemand, nodes: NodeColumns): NodeTest {
  const refuse = explainRefusal(demand, nodes);
  const cpuAsked = demand.milliCpu > 0 ? demand.milliCpu : NOTHING;
  const memoryAsked = demand.memory > 0 ? demand.memory : NOTHING;
  const [cpu, memory, , pods] = nodes.allocatable as Float64Array[];
  const [cpuUsed, memoryUsed, , podsUsed] = nodes.requested as Float64Array[];
  const isPlain = demand.ephemeralStorage === 0 && demand.others.length === 0;
  return (slot) => {
    const fitsPlainly =
      podsUsed![slot]! < pods![slot]! &&
      cpuAsked <= cpu![slot]! - cpuUsed![slot]! &&
      memoryAsked <= memory![slot]! - memoryUsed![slot]!;
    return fitsPlainly && isPlain ? undefined : refuse(slot);
  };
}

/** Looks at every need of the pod: the slow way, for nodes that are refused and pods that ask for unusual things. */
function explainRefusal(demand: PodDemand, nodes: NodeColumns): NodeTest {
  const needs = needsOf(demand, nodes);
  const refusal = refusalTable(needs);
  return (slot) => {
    let short = 0;
    let tooSmall = false;
    for (let i = 0; i < needs.length; i++) {
      const { column, amount } = needs[i]!;
      const total = nodes.allocatable[column]![slot]!;
      if (amount <= total - nodes.requested[column]![slot]!) continue;
      short |= 1 << i;
      tooSmall ||= amount > total;
    }
    return short === 0 ? undefined : refusal(short, tooSmall);
  };
}

function leastAllocated(demand: PodDemand, nodes: NodeColumns): NodeScore {
  const [cpu, memory] = nodes.allocatable as Float64Array[];
  const { scoringCpu, scoringMemory } = nodes;
  const { scoringMilliCpu, scoringMemory: scoringBytes } = demand;
  return (slot) => {
    const cpuTotal = cpu![slot]!;
    const memoryTotal = memory![slot]!;
    const cpuFree = cpuTotal - scoringCpu[slot]! - scoringMilliCpu;
    const memoryFree = memoryTotal - scoringMemory[slot]! - scoringBytes;
    const cpuScore = cpuFree > 0 ? Math.floor((cpuFree * MAX_NODE_SCORE) / cpuTotal) : 0;
    const memoryScore = memoryFree > 0 ? Math.floor((memoryFree * MAX_NODE_SCORE) / memoryTotal) : 0;
    const weight = (cpuTotal > 0 ? 1 : 0) + (memoryTotal > 0 ? 1 : 0);
    return weight === 0 ? 0 : Math.floor((cpuScore + memoryScore) / weight);
  };
}

/** Room for what the pod requests; of the nodes with room, the emptiest (LeastAllocated). */
export const nodeResourcesFit: Plugin = {
  name: 'NodeResourcesFit',
  wakesOn: ['NodeAdd', 'NodeUpdate', 'AssignedPodDelete', 'AssignedPodUpdate', 'UnscheduledPodUpdate'],
  filter: fits,
  score: leastAllocated,
};

/** Likes nodes on which CPU and memory are used in equal measure. */
export const nodeResourcesBalancedAllocation: Plugin = {
  name: 'NodeResourcesBalancedAllocation',
  score(demand, nodes) {
    // A pod that requests nothing changes no balance; scoring it would send every such pod to one node.
    if (demand.milliCpu === 0 && demand.memory === 0) return undefined;
    const [cpuTotal, memoryTotal] = nodes.allocatable as Float64Array[];
    const [cpuUsed, memoryUsed] = nodes.requested as Float64Array[];
    const { milliCpu, memory } = demand;
    return (slot) => {
      const cpuCapacity = cpuTotal![slot]!;
      const memoryCapacity = memoryTotal![slot]!;
      if (cpuCapacity === 0 || memoryCapacity === 0) return MAX_NODE_SCORE;
      const a = Math.min(1, (cpuUsed![slot]! + milliCpu) / cpuCapacity);
      const b = Math.min(1, (memoryUsed![slot]! + memory) / memoryCapacity);
      return Math.floor((1 - Math.abs(a - b) / 2) * MAX_NODE_SCORE);
    };
  },
};
