import { linesText } from '../machine/run-tool.ts';
import type { Chains } from './render-service.ts';

/** One table's way from what it has to what is wanted. */
export interface TableChange {
  readonly before: Chains;
  readonly after: Chains;
  /** Chains of ours that are there besides, whatever they say. */
  readonly leftovers?: Iterable<string>;
  /** Rules of the kernel's own chains: `-I PREROUTING 1 …`, `-D PREROUTING …`. */
  readonly entrances?: readonly string[];
}

/** What `iptables-restore --noflush` wants for one table; empty where nothing changes. All of it is one batch. Throws NetworkError for a rule that is several lines. */
export function restoreText(table: string, { before, after, leftovers = [], entrances = [] }: TableChange): string {
  const written = [...after].filter(([chain, rules]) => !isSame(before.get(chain), rules));
  const gone = new Set([...before.keys(), ...leftovers].filter((chain) => !after.has(chain)));
  if (written.length + gone.size + entrances.length === 0) return '';
  // Naming a chain makes it, and empties it where it is there.
  const lines = [`*${table}`];
  for (const [chain] of written) lines.push(`:${chain} - [0:0]`);
  for (const chain of gone) lines.push(`:${chain} - [0:0]`);
  for (const [chain, rules] of written) for (const rule of rules) lines.push(`-A ${chain} ${rule}`);
  for (const line of entrances) lines.push(line);
  for (const chain of gone) lines.push(`-X ${chain}`);
  lines.push('COMMIT');
  return linesText(lines);
}

function isSame(had: readonly string[] | undefined, has: readonly string[]): boolean {
  if (had === has) return true;
  return had?.length === has.length && had.every((rule, at) => rule === has[at]);
}
