import { randomBelow } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import type { DomainView } from './framework.ts';
import type { Scorer } from './plugin-set.ts';
import { SlotHistory } from './slot-history.ts';

/** Slots that are summed up together. */
const CHUNK_BITS = 6;
const CHUNK = 1 << CHUNK_BITS;
/** Beyond this, asking every node costs no more. */
const GROUPS_MAX = 1_000;
/** Domains that are told apart by their number; a topology of more of them has to have each node in one of its own. */
const DOMAINS_MAX = 256;
/** What is looked at is told in numbers below this, three of which go into one key. */
const RADIX = 4_096;
const SMALL = 2_048;

/** What one slot says in one respect, as a number below RADIX; -1: it cannot be told in one. */
type Reader = (slot: number) => number;

/** What local plugins say of all nodes, as far as groups depend on it. */
export interface GroupedResults {
  /** By slot; -Infinity: no candidate. */
  readonly totals: Float64Array;
  readonly scores: readonly { readonly scorer: Scorer; readonly raw: Float64Array }[];
}

/** The nodes as `SlotGroups` reads them. */
export interface GroupedNodes {
  readonly end: number;
  readonly version: number;
  /** How many pods a node has, by slot. */
  readonly pods: Float64Array;
  changedSince(version: number, visit: (slot: number) => void): boolean;
}

/**
 * Nodes that the plugins beyond the local ones cannot tell apart for pods of a kind: in the same domains, with the same
 * counts. One of each group is asked for all of it. A decision changes one node, which goes to another group; and of each
 * chunk of slots it keeps what `BestSlots` keeps, group by group.
 *
 *     slot    0  1  2  3  4  5        group 1: zone a, no pod of the kind     2 candidates, the best total 180
 *     group   1  2  1  3  2  0        group 2: zone b, no pod of the kind     2 candidates, the best total 180
 *                                     group 3: zone b, one of them            1 candidate,  the best total 175
 *                                     0: no candidate
 */
export class SlotGroups {
  /** By slot. */
  readonly of: Uint16Array;
  readonly history: SlotHistory;
  /** How many groups there have been; they are numbered from 1. */
  size = 0;
  /** By group: how many candidates it has; what follows is meaningful where there are any. */
  readonly counts = new Int32Array(GROUPS_MAX + 1);
  /** By group: one of its slots. */
  readonly samples = new Int32Array(GROUPS_MAX + 1);
  /** By group: the best total of the local plugins. */
  readonly highest = new Float64Array(GROUPS_MAX + 1);
  /** By group: the fewest pods on a node among those. */
  readonly fewest = new Float64Array(GROUPS_MAX + 1);
  /** By group: how many share both. */
  readonly equals = new Int32Array(GROUPS_MAX + 1);
  readonly #local: GroupedResults;
  readonly #readers: readonly Reader[];
  readonly #numbers = new Map<number, number>();
  readonly #folded: Map<number, number>[] = [];
  #version: number;
  #isWhole = true;
  /** Of each chunk: how many groups are in it, and what they have there, `CHUNK` places for each chunk. */
  readonly #entries: Uint8Array;
  readonly #isStale: Uint8Array;
  readonly #group: Uint16Array;
  readonly #count: Uint8Array;
  readonly #sample: Int32Array;
  readonly #highest: Float64Array;
  readonly #fewest: Float64Array;
  readonly #equals: Uint8Array;

  private constructor(local: GroupedResults, readers: readonly Reader[], nodes: GroupedNodes) {
    this.#local = local;
    this.#readers = readers;
    this.#version = nodes.version;
    const size = local.totals.length;
    const chunks = (size >> CHUNK_BITS) + 1;
    this.of = new Uint16Array(size);
    this.history = new SlotHistory({ verdicts: this.of, scores: [] });
    this.#entries = new Uint8Array(chunks);
    this.#isStale = new Uint8Array(chunks).fill(1);
    this.#group = new Uint16Array(chunks << CHUNK_BITS);
    this.#count = new Uint8Array(chunks << CHUNK_BITS);
    this.#sample = new Int32Array(chunks << CHUNK_BITS);
    this.#highest = new Float64Array(chunks << CHUNK_BITS);
    this.#fewest = new Float64Array(chunks << CHUNK_BITS);
    this.#equals = new Uint8Array(chunks << CHUNK_BITS);
    for (let slot = 0; slot < nodes.end; slot++) this.of[slot] = this.#groupOf(slot);
  }

  /** Of all nodes; undefined: too many cannot be told to be alike. */
  static of(local: GroupedResults, views: readonly DomainView[], nodes: GroupedNodes): SlotGroups | undefined {
    const readers = readersOf(views, local);
    if (readers === undefined) return undefined;
    const groups = new SlotGroups(local, readers, nodes);
    return groups.#isWhole ? groups : undefined;
  }

  /** Brings all of it up to the local results and the nodes as they are; false: it has to be made anew. */
  refresh(nodes: GroupedNodes): boolean {
    const follow = (slot: number): void => {
      const group = this.#groupOf(slot);
      if (group !== this.of[slot]) {
        this.history.note(slot);
        this.of[slot] = group;
      }
      this.#isStale[slot >> CHUNK_BITS] = 1;
    };
    if (!nodes.changedSince(this.#version, follow) || !this.#isWhole) return false;
    this.#version = nodes.version;
    this.#addUp(nodes);
    return true;
  }

  /** Any of the best slots of these groups, each with the same chance. */
  pickAmong(winners: ReadonlySet<number>, nodes: GroupedNodes, random: Random): number {
    let equals = 0;
    for (const group of winners) equals += this.equals[group]!;
    let pick = equals === 1 ? 0 : randomBelow(random, equals);
    const chunks = (nodes.end + CHUNK - 1) >> CHUNK_BITS;
    for (let chunk = 0; chunk < chunks; chunk++) {
      const base = chunk << CHUNK_BITS;
      for (let at = base; at < base + this.#entries[chunk]!; at++) {
        const group = this.#group[at]!;
        if (this.#highest[at] !== this.highest[group] || this.#fewest[at] !== this.fewest[group]) continue;
        if (!winners.has(group)) continue;
        if (pick < this.#equals[at]!) return this.#slotAt(at, pick, nodes);
        pick -= this.#equals[at]!;
      }
    }
    return this.samples[winners.values().next().value ?? 0]!;
  }

  #slotAt(at: number, nth: number, { pods, end }: GroupedNodes): number {
    const { totals } = this.#local;
    const from = (at >> CHUNK_BITS) << CHUNK_BITS;
    let left = nth;
    for (let slot = from; slot < Math.min(end, from + CHUNK); slot++) {
      if (this.of[slot] !== this.#group[at] || totals[slot] !== this.#highest[at]) continue;
      if (pods[slot] === this.#fewest[at] && left-- === 0) return slot;
    }
    return this.#sample[at]!;
  }

  /** 0: no candidate. Numbers that ran out make the whole useless. */
  #groupOf(slot: number): number {
    if (this.#local.totals[slot] === -Infinity) return 0;
    const key = this.#keyOf(slot);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (key < 0 || this.size === GROUPS_MAX) {
      this.#isWhole = false;
      return 0;
    }
    this.#numbers.set(key, ++this.size);
    return this.size;
  }

  #keyOf(slot: number): number {
    let key = 0;
    for (let i = 0; i < this.#readers.length; i++) {
      const said = this.#readers[i]!(slot);
      if (said < 0) return -1;
      key = key * RADIX + said;
      // Three fit into what a number holds exactly, behind a number for those before.
      if (i % 3 === 2) key = this.#fold((i - 2) / 3, key);
      if (key < 0) return -1;
    }
    return key;
  }

  #fold(level: number, key: number): number {
    const folded = (this.#folded[level] ??= new Map());
    let number = folded.get(key);
    if (number === undefined) {
      if (folded.size === 2 * RADIX) return -1;
      number = folded.size;
      folded.set(key, number);
    }
    return number;
  }

  #addUp(nodes: GroupedNodes): void {
    this.counts.fill(0, 0, this.size + 1);
    const chunks = (nodes.end + CHUNK - 1) >> CHUNK_BITS;
    for (let chunk = 0; chunk < chunks; chunk++) {
      if (this.#isStale[chunk] === 1) this.#sumUp(chunk, nodes);
      const base = chunk << CHUNK_BITS;
      const end = base + this.#entries[chunk]!;
      for (let at = base; at < end; at++) this.#add(at);
    }
  }

  /** What a group has in one chunk, to what it has in those before. */
  #add(at: number): void {
    const group = this.#group[at]!;
    const isFirst = this.counts[group] === 0;
    this.counts[group]! += this.#count[at]!;
    const total = this.#highest[at]!;
    const there = this.#fewest[at]!;
    const highest = this.highest[group]!;
    if (isFirst || total > highest || (total === highest && there < this.fewest[group]!)) {
      if (isFirst) this.samples[group] = this.#sample[at]!;
      this.highest[group] = total;
      this.fewest[group] = there;
      this.equals[group] = this.#equals[at]!;
    } else if (total === highest && there === this.fewest[group]) this.equals[group]! += this.#equals[at]!;
  }

  #sumUp(chunk: number, { end, pods }: GroupedNodes): void {
    const { totals } = this.#local;
    const base = chunk << CHUNK_BITS;
    let used = 0;
    for (let slot = base; slot < Math.min(end, base + CHUNK); slot++) {
      const group = this.of[slot]!;
      if (group === 0) continue;
      let at = base;
      while (at < base + used && this.#group[at] !== group) at++;
      const total = totals[slot]!;
      const there = pods[slot]!;
      const isNew = at === base + used;
      if (isNew) {
        used++;
        this.#group[at] = group;
        this.#count[at] = 0;
        this.#sample[at] = slot;
      }
      this.#count[at]!++;
      const highest = this.#highest[at]!;
      if (isNew || total > highest || (total === highest && there < this.#fewest[at]!)) {
        this.#highest[at] = total;
        this.#fewest[at] = there;
        this.#equals[at] = 1;
      } else if (total === highest && there === this.#fewest[at]) this.#equals[at]!++;
    }
    this.#entries[chunk] = used;
    this.#isStale[chunk] = 0;
  }
}

/** One for each thing that is looked at; undefined: it cannot be told by the nodes that change. */
function readersOf(views: readonly DomainView[], { scores }: GroupedResults): readonly Reader[] | undefined {
  const readers: Reader[] = [];
  const told = new Set<unknown>();
  for (const { topology, sums, presenceOnly = false } of views) {
    // A pod that comes changes the count of its own node alone, if no other node is in the domain.
    if (sums !== undefined && topology.isByNode) readers.push(countReader(topology, sums));
    else if (presenceOnly) readers.push((slot) => (topology.domainOf[slot] === -1 ? 0 : 1));
    else if (topology.domains > DOMAINS_MAX) return undefined;
    else if (!told.has(topology)) {
      told.add(topology);
      readers.push((slot) => topology.domainOf[slot]! + 1);
    }
  }
  for (const { scorer, raw } of scores) {
    if (scorer.plugin.normalizeScore === undefined) continue;
    const numberOf = numbering();
    readers.push((slot) => numberOf(raw[slot]!));
  }
  return readers;
}

function countReader(topology: DomainView['topology'], sums: Float64Array): Reader {
  const numberOf = numbering();
  return (slot) => {
    const domain = topology.domainOf[slot]!;
    return domain === -1 ? RADIX - 1 : numberOf(sums[domain]!);
  };
}

/** Small counts stand for themselves, any other number gets one as it comes. */
function numbering(): (value: number) => number {
  const others = new Map<number, number>();
  return (value) => {
    if (value >= 0 && value < SMALL && Number.isInteger(value)) return value;
    let number = others.get(value);
    if (number === undefined) {
      if (others.size === RADIX - SMALL - 1) return -1;
      number = SMALL + others.size;
      others.set(value, number);
    }
    return number;
  };
}
