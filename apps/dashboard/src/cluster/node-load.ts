import type { ApiObject } from '../live/rows.ts';
import { amountOf, NOTHING, sum } from './pod-summary.ts';
import type { Amount, PodSummary } from './pod-summary.ts';

/** What a node has, what is asked of it, what it uses, and who is on it. */
export interface NodeLoad {
  readonly name: string;
  readonly isReady: boolean;
  readonly isCordoned: boolean;
  readonly allocatable: Amount;
  readonly podsMax: number;
  readonly requests: Amount;
  /** Absent: nobody measures. */
  readonly usage?: Amount;
  readonly pods: readonly PodSummary[];
}

interface NodeObject extends ApiObject {
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly allocatable?: { readonly [resource: string]: string };
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Of each node, in their order. `usage`: by the names of nodes. */
export function nodeLoads(
  nodes: readonly ApiObject[],
  pods: readonly PodSummary[],
  usage: ReadonlyMap<string, Amount> = new Map(),
): readonly NodeLoad[] {
  const byNode = Map.groupBy(pods, ({ node }) => node);
  return (nodes as readonly NodeObject[]).map(({ metadata, spec = {}, status = {} }) => {
    const own = byNode.get(metadata.name) ?? [];
    const used = usage.get(metadata.name);
    return {
      name: metadata.name,
      isReady: (status.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True'),
      isCordoned: spec.unschedulable === true,
      allocatable: amountOf(status.allocatable),
      podsMax: Number(status.allocatable?.['pods'] ?? 0),
      requests: own.map(({ requests }) => requests).reduce(sum, NOTHING),
      ...(used === undefined ? {} : { usage: used }),
      pods: own,
    };
  });
}

/** How many pods are in each phase, the most first. */
export function countPhases(pods: readonly PodSummary[]): readonly (readonly [phase: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { phase } of pods) counts.set(phase, (counts.get(phase) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a);
}

/** `1.5 / 8` cores. */
export function coresText(milliCpu: number): string {
  return (milliCpu / 1000).toLocaleString('en', { maximumFractionDigits: 2 });
}

/** `512 MiB`, `3.5 GiB`. */
export function bytesText(bytes: number): string {
  const mebibytes = bytes / 2 ** 20;
  const [amount, unit] = mebibytes >= 1024 ? [mebibytes / 1024, 'GiB'] : [mebibytes, 'MiB'];
  return `${amount.toLocaleString('en', { maximumFractionDigits: amount < 10 ? 1 : 0 })} ${unit}`;
}
