import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** When the last of a file or of what is in a folder was changed: milliseconds since the epoch. */
export function youngest(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => youngest(join(path, name))));
}
