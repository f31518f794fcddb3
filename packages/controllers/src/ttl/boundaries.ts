interface Boundary {
  readonly min: number;
  readonly max: number;
  readonly seconds: number;
}

/** How long kubelets may keep what they asked for, by the number of nodes. They overlap: a node more or less turns nothing. */
const BOUNDARIES: readonly Boundary[] = [
  { min: 0, max: 100, seconds: 0 },
  { min: 90, max: 500, seconds: 15 },
  { min: 450, max: 1000, seconds: 30 },
  { min: 900, max: 2000, seconds: 60 },
  { min: 1800, max: Number.POSITIVE_INFINITY, seconds: 300 },
];

/** The step that a cluster of so many nodes is on, coming from `step`. */
export function stepFor(nodes: number, step: number): number {
  let now = step;
  while (nodes > (BOUNDARIES[now]?.max ?? 0) && now < BOUNDARIES.length - 1) now++;
  while (nodes < (BOUNDARIES[now]?.min ?? 0) && now > 0) now--;
  return now;
}

/** Seconds, on a step. */
export function secondsOn(step: number): number {
  return BOUNDARIES[step]?.seconds ?? 0;
}
