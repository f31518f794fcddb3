const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** The age of a thing as `kubectl get` shows it. */
export function ageOf(created: string | undefined, now: number): string {
  if (created === undefined || created === '') return '<unknown>';
  return shortDuration(now - Date.parse(created));
}

/** `90s`, `5m30s`, `2h`, `3d4h`: two units while the first is small. */
export function shortDuration(ms: number): string {
  if (ms < -SECOND) return '<invalid>';
  if (ms < 0) return '0s';
  if (ms < 2 * MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < 10 * MINUTE) return two(ms, { unit: MINUTE, name: 'm', next: SECOND, nextName: 's' });
  if (ms < 3 * HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 8 * HOUR) return two(ms, { unit: HOUR, name: 'h', next: MINUTE, nextName: 'm' });
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  if (ms < 8 * DAY) return two(ms, { unit: DAY, name: 'd', next: HOUR, nextName: 'h' });
  if (ms < 2 * YEAR) return `${Math.floor(ms / DAY)}d`;
  if (ms < 8 * YEAR) return two(ms, { unit: YEAR, name: 'y', next: DAY, nextName: 'd' });
  return `${Math.floor(ms / YEAR)}y`;
}

function two(ms: number, of: { unit: number; name: string; next: number; nextName: string }): string {
  const whole = Math.floor(ms / of.unit);
  const rest = Math.floor((ms % of.unit) / of.next);
  return rest === 0 ? `${whole}${of.name}` : `${whole}${of.name}${rest}${of.nextName}`;
}
