import type { ChainNames } from './chain-names.ts';

/** What of a table is ours, as `iptables-save` tells it. */
export interface SavedTable {
  readonly chains: ReadonlySet<string>;
  /** Rules of other chains that lead into ours, as they stand: `-A PREROUTING -j …`. */
  readonly entrances: readonly string[];
}

/** Finds our chains, and the ways into them, in what `iptables-save -t TABLE` said. */
export function readSaved(text: string, names: ChainNames): SavedTable {
  const chains = new Set<string>();
  const entrances: string[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith(':')) {
      const chain = line.slice(1).split(' ', 1)[0] ?? '';
      if (names.isOurs(chain)) chains.add(chain);
    } else if (line.startsWith('-A ')) {
      const words = line.trim().split(' ');
      const target = words[words.findIndex((word) => word === '-j' || word === '-g') + 1] ?? '';
      if (names.isOurs(target) && !names.isOurs(words[1] ?? '')) entrances.push(line.trim());
    }
  }
  return { chains, entrances };
}
