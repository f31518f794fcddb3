import { createHash } from 'node:crypto';

/** The kernel takes names of 28 letters. */
export const PREFIX_LENGTH_MAX = 9;
/** 70 bits of a hash: nobody finds a name that meets another's. */
const HASH_LENGTH = 14;
/** What names of chains and sets begin with, where a table has this name. */
export function prefixOf(table: string): string {
  return table
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(0, PREFIX_LENGTH_MAX);
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Chains of one Service's port: its endpoints, those of this node, those near it, from outside, its source ranges, one endpoint. */
export type ServiceChain = 'SVC' | 'SVL' | 'SVN' | 'EXT' | 'FWL' | 'SEP';

/** Names of our chains on this machine: all begin with a prefix that is nobody else's. */
export class ChainNames {
  readonly #prefix: string;

  /** `prefix`: at most nine capital letters and digits. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Whether a chain is one of ours. */
  isOurs(chain: string): boolean {
    return chain.startsWith(`${this.#prefix}-`);
  }

  /** A chain that all Services share. */
  shared(name: string): string {
    return `${this.#prefix}-${name}`;
  }

  /** A chain that is one Service's alone. */
  ofService(kind: ServiceChain, id: string): string {
    const bytes = createHash('sha256').update(id).digest();
    let hash = '';
    for (let at = 0; at < HASH_LENGTH; at++) hash += LETTERS[(bytes[at] ?? 0) & 31];
    return `${this.#prefix}-${kind}-${hash}`;
  }
}
