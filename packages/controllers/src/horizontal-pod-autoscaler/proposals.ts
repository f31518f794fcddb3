/** How many replicas one metric asks for. Usage and targets are in milli-units; ratios are usage over target. */
import type { GroupedPods, Samples } from './samples.ts';

/** How far from 1 a ratio may be before anything is done. */
export interface Tolerance {
  readonly up: number;
  readonly down: number;
}

/** How many replicas, and the usage per pod that it follows from. */
export interface Proposal {
  readonly replicas: number;
  readonly milli: number;
  /** Percent of what was requested. */
  readonly utilization?: number;
}

/** What of a target's pods a proposal follows from. */
export interface PodUsage {
  readonly replicas: number;
  readonly groups: GroupedPods;
  readonly tolerance: Tolerance;
}

/** The largest number that a replica count can be. */
const REPLICAS_MAX = 2 ** 31 - 1;

/** Why no proposal follows; `reason` of the condition is the caller's. */
export type Refused = { readonly refused: string };

const NOTHING_MEASURED: Refused = { refused: 'did not receive metrics for targeted pods (pods might be unready)' };

/** From an average usage per pod. */
export function proposeByUsage(usage: PodUsage, targetMilli: number): Proposal | Refused {
  const { counted } = usage.groups;
  if (counted.size === 0) return NOTHING_MEASURED;
  const ratioOf = (samples: ReadonlyMap<string, number>): number =>
    truncate(sumOf(samples) / samples.size) / targetMilli;
  const milli = truncate(sumOf(milliOf(counted)) / counted.size);
  return { replicas: propose(usage, ratioOf, () => targetMilli), milli };
}

/** From the share of what pods requested; `requests` are milli-units by pod. */
export function proposeByUtilization(
  usage: PodUsage,
  requests: ReadonlyMap<string, number>,
  targetPercent: number,
): Proposal | Refused {
  const { counted } = usage.groups;
  if (counted.size === 0) return NOTHING_MEASURED;
  const shareOf = (samples: ReadonlyMap<string, number>) => {
    const known = [...samples].filter(([name]) => requests.has(name));
    const requested = known.reduce((sum, [name]) => sum + (requests.get(name) ?? 0), 0);
    const used = known.reduce((sum, [, milli]) => sum + milli, 0);
    return { requested, percent: truncate((used * 100) / requested), milli: truncate(used / known.length) };
  };
  const now = shareOf(milliOf(counted));
  if (now.requested === 0) return { refused: 'no metrics returned matched known pods' };
  // On the way down a pod that nobody measured counts as busy.
  const busy = (name: string): number => truncate(((requests.get(name) ?? 0) * Math.max(100, targetPercent)) / 100);
  const replicas = propose(usage, (samples) => shareOf(samples).percent / targetPercent, busy);
  return { replicas, milli: now.milli, utilization: now.percent };
}

/** What is measured first; then, where pods are missing or unready, again with the least favourable assumption of them. */
function propose(
  { replicas, groups, tolerance }: PodUsage,
  ratioOf: (samples: ReadonlyMap<string, number>) => number,
  busy: (name: string) => number,
): number {
  const { ready, unready, missing, counted } = groups;
  const ratio = ratioOf(milliOf(counted));
  const countsUnready = unready.length > 0 && ratio > 1;
  if (!countsUnready && missing.length === 0) {
    return isWithin(tolerance, ratio) ? replicas : bounded(Math.ceil(ratio * ready));
  }
  const assumed = new Map(milliOf(counted));
  if (ratio !== 1) for (const name of missing) assumed.set(name, ratio < 1 ? busy(name) : 0);
  if (countsUnready) for (const name of unready) assumed.set(name, 0);
  const careful = ratioOf(assumed);
  const turned = (ratio < 1 && careful > 1) || (ratio > 1 && careful < 1);
  if (isWithin(tolerance, careful) || turned) return replicas;
  const proposed = bounded(Math.ceil(careful * assumed.size));
  const isBackwards = (careful < 1 && proposed > replicas) || (careful > 1 && proposed < replicas);
  return isBackwards ? replicas : proposed;
}

/** From one value for the whole target. None of its pods run: the ratio alone decides. */
export function proposeByValue(
  of: { readonly replicas: number; readonly readyPods: number; readonly tolerance: Tolerance },
  milli: number,
  targetMilli: number,
): Proposal {
  const ratio = milli / targetMilli;
  if (of.replicas === 0) return { replicas: bounded(Math.ceil(ratio)), milli };
  if (isWithin(of.tolerance, ratio)) return { replicas: of.replicas, milli };
  return { replicas: bounded(Math.ceil(ratio * of.readyPods)), milli };
}

/** From one value for the whole target, shared among its pods; `replicas` are those that the target says it has. */
export function proposePerPod(
  of: { readonly replicas: number; readonly tolerance: Tolerance },
  milli: number,
  targetMilli: number,
): Proposal {
  const ratio = milli / (targetMilli * of.replicas);
  const replicas = isWithin(of.tolerance, ratio) ? of.replicas : bounded(Math.ceil(milli / targetMilli));
  return { replicas, milli: of.replicas === 0 ? milli : Math.ceil(milli / of.replicas) };
}

function isWithin({ up, down }: Tolerance, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}

function bounded(replicas: number): number {
  return Math.min(replicas, REPLICAS_MAX);
}

function milliOf(samples: Samples): ReadonlyMap<string, number> {
  return new Map([...samples].map(([name, { milli }]) => [name, milli]));
}

function sumOf(values: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const value of values.values()) sum += value;
  return sum;
}

function truncate(value: number): number {
  return Math.trunc(value);
}
