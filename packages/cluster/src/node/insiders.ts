import { NODES, internalAddresses } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import { inRanges, plainAddress } from '@binnacle/base';
import type { Clock, Scope } from '@binnacle/base';
import { createInformer } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import type { World } from '../world.ts';
import { isLoopbackHost, ownAddresses } from './own-addresses.ts';

/** CIDRs, or addresses, of those that are let in beside the machine itself; undefined: everybody. */
export type Insiders = readonly string[] | undefined;

/** So long what was found out of an address holds: the machine's own come and go, and to look at every link of it costs. */
const LOOK_MS = 1_000;
/** Addresses that are remembered: strangers may write any into their datagrams. */
const KNOWN_MAX = 4_096;

/** Tells who is let in, for each question and connection. */
export class InsiderGate {
  readonly #insiders: () => Insiders;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #asked: Insiders;
  #isInside: (address: string) => boolean = inRanges([]);
  #own: ReadonlySet<string> = new Set();
  #until = 0;
  readonly #known = new Map<string, boolean>();

  /** `insiders`: asked each time; another list is another array. */
  constructor(insiders: () => Insiders, clock: Pick<Clock, 'monotonic'>) {
    this.#insiders = insiders;
    this.#clock = clock;
  }

  /** Whether a client of this address is the machine itself or one of those. */
  letsIn(remote: string): boolean {
    const insiders = this.#insiders();
    if (insiders === undefined) return true;
    const now = this.#clock.monotonic();
    if (insiders !== this.#asked || now >= this.#until) this.#look(insiders, now);
    let isIn = this.#known.get(remote);
    if (isIn !== undefined) return isIn;
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(remote, (isIn = this.#judge(plainAddress(remote))));
    return isIn;
  }

  #look(insiders: readonly string[], now: number): void {
    if (insiders !== this.#asked) this.#isInside = inRanges(insiders);
    this.#asked = insiders;
    this.#own = new Set(ownAddresses());
    this.#until = now + LOOK_MS;
    this.#known.clear();
  }

  #judge(address: string): boolean {
    return isLoopbackHost(address) || this.#own.has(address) || this.#isInside(address);
  }
}

/** The ranges, and the addresses of the cluster's nodes as they come and go. */
export function followInsiders(
  ranges: readonly string[],
  at: { readonly client: Client; readonly world: World; readonly scope: Scope },
): () => Insiders {
  const nodes = createInformer(at.client, NODES, at.world);
  const addresses = new Map<string, readonly string[]>();
  let insiders = ranges;
  const put = ({ metadata: { name = '' } }: Node, has: readonly string[]): void => {
    if ((addresses.get(name) ?? []).join() === has.join()) return;
    if (has.length === 0) addresses.delete(name);
    else addresses.set(name, has);
    insiders = [...ranges, ...new Set([...addresses.values()].flat())];
  };
  nodes.subscribe({
    add: (node) => put(node, internalAddresses(node)),
    update: (_before, node) => put(node, internalAddresses(node)),
    remove: (node) => put(node, []),
  });
  nodes.start(at.scope);
  return () => insiders;
}
