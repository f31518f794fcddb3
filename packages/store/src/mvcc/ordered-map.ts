import type { Key } from '../ports.ts';
import { countBelow, emptyTree, entryBelow, walkBelow, withEntry, withoutKey } from './b-tree.ts';
import type { Edit, Keyed, Node } from './b-tree.ts';
import type { Span } from './span.ts';

/** So many changes wait for their order at the most: a millisecond's work for whoever reads, or writes the last of them. */
const UNORDERED_MAX = 1024;
/** And they weigh so much together with what they replaced: that much is kept alive by them. */
const UNORDERED_BYTES_MAX = 4 << 20;

/** A key that is no longer there. */
class Removed implements Keyed {
  readonly key: Key;

  constructor(key: Key) {
    this.key = key;
  }
}

/** Changes one behind the other, and the tree as far as somebody has read it. */
class ChangeLog<E extends Keyed> {
  readonly #base: Node<E>;
  readonly #changes: (E | Removed)[] = [];
  /** The tree after the first so many changes. */
  #root: Node<E>;
  #done = 0;

  constructor(base: Node<E>) {
    this.#base = base;
    this.#root = base;
  }

  get length(): number {
    return this.#changes.length;
  }

  add(change: E | Removed): void {
    this.#changes.push(change);
  }

  /** The tree after the first `count` changes. Who comes late with an early snapshot begins at the base again. */
  rootAt(count: number): Node<E> {
    if (count < this.#done) return this.#apply(this.#base, 0, count);
    this.#root = this.#apply(this.#root, this.#done, count);
    this.#done = count;
    return this.#root;
  }

  #apply(base: Node<E>, from: number, to: number): Node<E> {
    const edit: Edit = {};
    let root = base;
    for (let at = from; at < to; at++) {
      const change = this.#changes[at]!;
      root = change instanceof Removed ? withoutKey(root, change.key, edit) : withEntry(root, change, edit);
    }
    return root;
  }
}

/** A snapshot of the map, put in order when it is first read. */
export class Tree<E extends Keyed> {
  #log: ChangeLog<E> | undefined;
  readonly #count: number;
  #root: Node<E> | undefined;

  constructor(log: ChangeLog<E>, count: number) {
    this.#log = log;
    this.#count = count;
  }

  /** Its uppermost node. */
  get root(): Node<E> {
    return this.#root ?? this.settle();
  }

  /** Puts it in order, and lets go of the changes that led to it. */
  settle(): Node<E> {
    const log = this.#log;
    if (log !== undefined) {
      this.#root = log.rootAt(this.#count);
      this.#log = undefined;
    }
    return this.#root!;
  }
}

/**
 * The index of live keys. What the keys have now is in a hash table; their order is in a B+tree, which follows when
 * somebody reads it, and at the latest after a thousand changes:
 *
 *     Log  base ──[ a:1, c:2, a:gone, b:3 ]      Tree = the log, and how many of its changes count
 */
export class OrderedMap<E extends Keyed> {
  readonly #weigh: (entry: E) => number;
  readonly #byKey = new Map<Key, E>();
  /** What the changes in the log weigh, and what they replaced. */
  #bytes = 0;
  #log = new ChangeLog<E>(emptyTree());
  /** The last question and its answer, good until the next change: a transaction asks for its key more than once. */
  #asked: Key | undefined;
  #found: E | undefined;

  /** `weigh`: about as many bytes as an entry keeps alive. */
  constructor(weigh: (entry: E) => number) {
    this.#weigh = weigh;
  }

  get size(): number {
    return this.#byKey.size;
  }

  get(key: Key): E | undefined {
    if (key === this.#asked) return this.#found;
    this.#asked = key;
    this.#found = this.#byKey.get(key);
    return this.#found;
  }

  /** The map as it is now; later changes do not touch it. Costs nothing until it is read. */
  freeze(): Tree<E> {
    return new Tree(this.#log, this.#log.length);
  }

  /** Goes back to a snapshot of it; `changed`: the keys that were set or deleted since. */
  restore(tree: Tree<E>, changed: Iterable<Key>): void {
    const { root } = tree;
    for (const key of changed) {
      const entry = entryBelow(root, key);
      if (entry === undefined) this.#byKey.delete(key);
      else this.#byKey.set(key, entry);
    }
    this.#begin(root);
    this.#asked = undefined;
  }

  /** Puts the entry in the place of the one with its key; answers with that one. */
  set(entry: E): E | undefined {
    const { key } = entry;
    const old = this.get(key);
    this.#byKey.set(key, entry);
    this.#asked = key;
    this.#found = entry;
    this.#note(entry, old);
    return old;
  }

  /** Takes the key out; answers with what was there. */
  delete(key: Key): E | undefined {
    const old = this.get(key);
    if (old === undefined) return undefined;
    this.#asked = undefined;
    this.#byKey.delete(key);
    this.#note(new Removed(key), old);
    return old;
  }

  #note(change: E | Removed, old: E | undefined): void {
    const log = this.#log;
    log.add(change);
    if (!(change instanceof Removed)) this.#bytes += this.#weigh(change);
    if (old !== undefined) this.#bytes += this.#weigh(old);
    if (log.length >= UNORDERED_MAX || this.#bytes >= UNORDERED_BYTES_MAX) this.#begin(log.rootAt(log.length));
  }

  #begin(base: Node<E>): void {
    this.#log = new ChangeLog(base);
    this.#bytes = 0;
  }
}

/** The entry of the key in a snapshot. */
export function getEntry<E extends Keyed>(tree: Tree<E>, key: Key): E | undefined {
  return entryBelow(tree.root, key);
}

/** How many keys a snapshot has in the span; looks at two paths, not at the keys. */
export function countSpan<E extends Keyed>(tree: Tree<E>, span: Span): number {
  return countBelow(tree.root, span);
}

/** Calls `visit` for each entry of the span in order until it answers false. */
export function walkSpan<E extends Keyed>(tree: Tree<E>, span: Span, visit: (entry: E) => boolean): boolean {
  return walkBelow(tree.root, span, visit);
}
