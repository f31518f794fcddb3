/** In milliseconds; the sign of a millionth is either of two letters that look alike. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['\u00b5s', 1e-3],
  ['\u03bcs', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** Go counts nanoseconds in 63 bits. */
const MAX_MS = 2 ** 63 / 1e6;

const PART = /(\d*)(\.\d*)?([^\d.]*)/y;

/**
 * Go's durations (`1m30s`, `500ms`, `.5h`, `0`), in milliseconds; none is negative here. Of what is none, what `refuse` makes of
 * Go's message (or throws).
 */
export function parseGoDuration<T>(given: string, refuse: (message: string) => T): number | T {
  const quoted = JSON.stringify(given);
  const text = given.startsWith('+') ? given.slice(1) : given;
  if (text === '0') return 0;
  let sum = 0;
  let at = 0;
  do {
    PART.lastIndex = at;
    const [part = '', whole = '', fraction = '', unit = ''] = PART.exec(text) ?? [];
    if (whole === '' && fraction.length < 2) return refuse(`time: invalid duration ${quoted}`);
    if (unit === '') return refuse(`time: missing unit in duration ${quoted}`);
    const ms = UNITS.get(unit);
    if (ms === undefined) return refuse(`time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`);
    sum += Number(`0${whole}${fraction}`) * ms;
    at += part.length;
  } while (at < text.length);
  if (sum > MAX_MS) return refuse(`time: invalid duration ${quoted}`);
  return sum;
}

/** A duration of milliseconds as Go prints it: `10s`, `1m20s`, `5m0s`. */
export function formatGoDuration(ms: number): string {
  if (ms === 0) return '0s';
  if (ms < 1000) return `${ms}ms`;
  const seconds = ms / 1000;
  const minutes = Math.floor(seconds / 60);
  const rest = Math.round((seconds - minutes * 60) * 1000) / 1000;
  const hours = Math.floor(minutes / 60);
  if (hours > 0) return `${hours}h${minutes % 60}m${rest}s`;
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`;
}
