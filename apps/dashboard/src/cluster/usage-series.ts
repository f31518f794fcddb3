import type { Amount } from './pod-summary.ts';

/** What something used at a moment. */
export interface UsageSample {
  readonly atMs: number;
  readonly amount: Amount;
}

/** Ten minutes of samples fifteen seconds apart. */
const SAMPLES_MAX = 40;

/** With one more sample at its end; the oldest are let go of, and one that was there already is not told twice. */
export function withSample(series: readonly UsageSample[], sample: UsageSample): readonly UsageSample[] {
  const last = series.at(-1);
  if (last !== undefined && last.atMs >= sample.atMs) return series;
  return [...series, sample].slice(-SAMPLES_MAX);
}

/** A line through values over time as the `d` of a path, in a box; the top is the largest value, the bottom zero. */
export function linePath(points: readonly { readonly atMs: number; readonly value: number }[], box: Box): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return '';
  const span = Math.max(1, last.atMs - first.atMs);
  const top = Math.max(...points.map(({ value }) => value), Number.MIN_VALUE);
  return points
    .map(({ atMs, value }, at) => {
      const x = ((atMs - first.atMs) / span) * box.width;
      const y = box.height - (value / top) * box.height;
      return `${at === 0 ? 'M' : 'L'}${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join('');
}

/** Pixels. */
interface Box {
  readonly width: number;
  readonly height: number;
}
