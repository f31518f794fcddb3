import type { Row } from '../live/rows.ts';
import { visible } from '../texts/visible.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

interface Step {
  readonly below: number;
  readonly big: readonly [seconds: number, letter: string];
  readonly small?: readonly [seconds: number, letter: string];
}

/** Ages below so many seconds are told in these units. */
const STEPS: readonly Step[] = [
  { below: 2 * MINUTE, big: [1, 's'] },
  { below: 10 * MINUTE, big: [MINUTE, 'm'], small: [1, 's'] },
  { below: 3 * HOUR, big: [MINUTE, 'm'] },
  { below: 8 * HOUR, big: [HOUR, 'h'], small: [MINUTE, 'm'] },
  { below: 2 * DAY, big: [HOUR, 'h'] },
  { below: 8 * DAY, big: [DAY, 'd'], small: [HOUR, 'h'] },
  { below: 2 * YEAR, big: [DAY, 'd'] },
  { below: 8 * YEAR, big: [YEAR, 'y'], small: [DAY, 'd'] },
  { below: Number.POSITIVE_INFINITY, big: [YEAR, 'y'] },
];

/** An age as kubectl shows it: `5s`, `2m10s`, `3h`, `12d`. */
export function ageText(sinceMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - sinceMs) / 1000));
  const step = STEPS.find(({ below }) => seconds < below);
  if (step === undefined) return '';
  const { big, small } = step;
  const rest = small === undefined ? 0 : Math.floor((seconds % big[0]) / small[0]);
  return `${Math.floor(seconds / big[0])}${big[1]}${rest === 0 ? '' : `${rest}${small?.[1] ?? ''}`}`;
}

/** How servers print ages. */
const AGE = /^(?:(?:\d+[ywdhms])+|<unknown>|<invalid>)$/;

/** Whether a cell of a column of ages tells one, or nothing: anybody may call a column of something else so. */
export function tellsAge(cell: unknown): boolean {
  return cell === undefined || cell === null || (typeof cell === 'string' && AGE.test(cell));
}

/** When an object was made, in milliseconds since the epoch; undefined: it does not say. */
export function madeAtMs({ object }: Row): number | undefined {
  const atMs = Date.parse(object.metadata.creationTimestamp ?? '');
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** A cell as text; of more than so many letters their beginning. */
export function cellText(cell: unknown, letters = Number.POSITIVE_INFINITY): string {
  if (cell === null || cell === undefined) return '';
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
  // No half of a letter at the end.
  return visible(text.length > letters ? `${text.slice(0, letters).replace(/[\uD800-\uDBFF]$/, '')}\u2026` : text);
}
