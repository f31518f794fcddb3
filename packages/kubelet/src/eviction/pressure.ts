/** From what is left to what presses, and to what has to be done about it. Pure. */
import type { NodePressure } from '../ports.ts';
import { type Signal, type Supply, type Threshold, valueOf } from './thresholds.ts';

export type Pressure = 'memory' | 'disk' | 'pid';

/** What was seen before. */
export interface PressureHistory {
  /** When each threshold was first met, of those that are met. */
  readonly since: ReadonlyMap<Threshold, number>;
  /** When each thing last pressed. */
  readonly pressed: ReadonlyMap<Pressure, number>;
}

export interface PressureLook {
  readonly history: PressureHistory;
  readonly pressure: NodePressure;
  /** Met for as long as they may be: memory first, because it cannot wait. */
  readonly due: readonly { readonly threshold: Threshold; readonly supply: Supply }[];
}

export const CALM: PressureHistory = { since: new Map(), pressed: new Map() };

const ORDER: readonly Signal[] = ['memory.available', 'allocatableMemory.available'];

/** What presses by a signal. */
export function pressureOf(signal: Signal): Pressure {
  if (signal === 'memory.available' || signal === 'allocatableMemory.available') return 'memory';
  return signal === 'pid.available' ? 'pid' : 'disk';
}

/** Looks once. What has pressed goes on to press for `transitionMs`, so that the node's word does not flutter. */
export function lookAtPressure(
  before: PressureHistory,
  thresholds: readonly Threshold[],
  of: { readonly supplies: ReadonlyMap<Signal, Supply>; readonly nowMs: number; readonly transitionMs: number },
): PressureLook {
  const { supplies, nowMs, transitionMs } = of;
  const since = new Map<Threshold, number>();
  const pressed = new Map(before.pressed);
  const due: { threshold: Threshold; supply: Supply }[] = [];
  for (const threshold of thresholds) {
    const supply = supplies.get(threshold.signal);
    if (supply === undefined || !isMet(threshold, supply, before.since.has(threshold))) continue;
    const first = before.since.get(threshold) ?? nowMs;
    since.set(threshold, first);
    // A soft one is a condition of the node from the moment on that it is met.
    pressed.set(pressureOf(threshold.signal), nowMs);
    if (nowMs - first >= threshold.graceMs) due.push({ threshold, supply });
  }
  for (const [what, at] of pressed) if (nowMs - at >= transitionMs && at !== nowMs) pressed.delete(what);
  const presses = (what: Pressure): boolean => pressed.has(what);
  return {
    history: { since, pressed },
    pressure: { memory: presses('memory'), disk: presses('disk'), pid: presses('pid') },
    due: due.toSorted((a, b) => rank(a.threshold) - rank(b.threshold)),
  };
}

/** Once met, it takes the threshold and what is to be reclaimed to be past. */
function isMet({ amount, reclaim }: Threshold, { available, capacity }: Supply, wasMet: boolean): boolean {
  return available < valueOf(amount, capacity) + (wasMet ? valueOf(reclaim, capacity) : 0);
}

function rank({ signal, graceMs }: Threshold): number {
  const place = ORDER.indexOf(signal);
  return (place === -1 ? ORDER.length : place) * 2 + (graceMs > 0 ? 1 : 0);
}
