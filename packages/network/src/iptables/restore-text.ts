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

/** What `iptables-restore --noflush` wants for one table; empty where nothing changes. All of it is one batch. */
export function restoreText(table: string, { before, after, leftovers = [], entrances = [] }: TableChange): string {
  const written = [...after].filter(([chain, rules]) => !isSame(before.get(chain), rules));
  const gone = new Set([...before.keys(), ...leftovers].filter((chain) => !after.has(chain)));
  if (written.length + gone.size + entrances.length === 0) return '';
  // Naming a chain makes it, and empties it where it is there.
  let text = `*${table}\n`;
  for (const [chain] of written) text += `:${chain} - [0:0]\n`;
  for (const chain of gone) text += `:${chain} - [0:0]\n`;
  for (const [chain, rules] of written) for (const rule of rules) text += `-A ${chain} ${rule}\n`;
  for (const line of entrances) text += `${line}\n`;
  for (const chain of gone) text += `-X ${chain}\n`;
  return `${text}COMMIT\n`;
}

function isSame(had: readonly string[] | undefined, has: readonly string[]): boolean {
  if (had === has) return true;
  return had?.length === has.length && had.every((rule, at) => rule === has[at]);
}
