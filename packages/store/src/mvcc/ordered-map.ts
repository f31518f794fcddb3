import { assert } from '@binnacle/base';
import type { Key } from '../ports.ts';

/**
 * The index of live keys. What the keys have now is in a hash table; their order is in a B+tree, which follows when
 * somebody reads it, and at the latest after a thousand changes:
 *
 *     Log  base ──[ a:1, c:2, a:gone, b:3 ]      Tree = the log, and how many of its changes count
 *
 * Nodes of the tree are copied on their way down to a change, so that whoever keeps a `Tree` keeps a snapshot. A node
 * made in the same going over the log is not shared yet and is changed in place.
 *
 *     Branch  size 5, mins [a, k]
 *       ├─ Leaf  entries [a, c]
 *       └─ Leaf  entries [k, m, z]
 */
export interface Keyed {
  readonly key: Key;
}

/** One going over a log: known by its identity. */
type Edit = object;

interface Leaf<E extends Keyed> {
  readonly leaf: true;
  readonly edit: Edit;
  readonly entries: E[];
}

interface Branch<E extends Keyed> {
  readonly leaf: false;
  readonly edit: Edit;
  size: number;
  /** The smallest key below each child; may be lower than what is really there after a removal. */
  readonly mins: Key[];
  readonly children: Node<E>[];
}

type Node<E extends Keyed> = Leaf<E> | Branch<E>;

const FANOUT = 32;
const SPARSE = 8;
/** So many changes wait for their order at the most: a millisecond's work for whoever reads, or writes the last of them. */
const UNORDERED_MAX = 1024;
/** And they weigh so much together with what they replaced: that much is kept alive by them. */
const UNORDERED_BYTES_MAX = 4 << 20;

/** Keys from `from` on and before `end`; no `end`: to the last. */
export interface Span {
  readonly from: Key;
  readonly end: Key | undefined;
}

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

/** Entries by their keys, and snapshots of them in order. */
export class OrderedMap<E extends Keyed> {
  readonly #weigh: (entry: E) => number;
  readonly #byKey = new Map<Key, E>();
  /** What the changes in the log weigh, and what they replaced. */
  #bytes = 0;
  #log = new ChangeLog<E>({ leaf: true, edit: {}, entries: [] });
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

function entryBelow<E extends Keyed>(root: Node<E>, key: Key): E | undefined {
  let node = root;
  while (!node.leaf) node = node.children[childFor(node.mins, key)]!;
  const entry = node.entries[lowerBound(node.entries, key)];
  return entry !== undefined && entry.key === key ? entry : undefined;
}

/** How many keys a snapshot has in the span; looks at two paths, not at the keys. */
export function countSpan<E extends Keyed>(tree: Tree<E>, span: Span): number {
  const { root } = tree;
  const upTo = span.end === undefined ? sizeOf(root) : countBefore(root, span.end);
  return Math.max(0, upTo - countBefore(root, span.from));
}

/** Calls `visit` for each entry of the span in order until it answers false. */
export function walkSpan<E extends Keyed>(tree: Tree<E>, span: Span, visit: (entry: E) => boolean): boolean {
  return walkBelow(tree.root, span, visit);
}

function walkBelow<E extends Keyed>(node: Node<E>, span: Span, visit: (entry: E) => boolean): boolean {
  if (node.leaf) {
    for (let i = lowerBound(node.entries, span.from); i < node.entries.length; i++) {
      const entry = node.entries[i]!;
      if (span.end !== undefined && entry.key >= span.end) return false;
      if (!visit(entry)) return false;
    }
    return true;
  }
  for (let i = childFor(node.mins, span.from); i < node.children.length; i++) {
    if (span.end !== undefined && i > 0 && node.mins[i]! >= span.end) return false;
    if (!walkBelow(node.children[i]!, span, visit)) return false;
  }
  return true;
}

function countBefore<E extends Keyed>(root: Node<E>, key: Key): number {
  let count = 0;
  let node = root;
  while (!node.leaf) {
    const at = childFor(node.mins, key);
    for (let i = 0; i < at; i++) count += sizeOf(node.children[i]!);
    node = node.children[at]!;
  }
  return count + lowerBound(node.entries, key);
}

function sizeOf<E extends Keyed>(node: Node<E>): number {
  return node.leaf ? node.entries.length : node.size;
}

function sizeSum<E extends Keyed>(nodes: readonly Node<E>[]): number {
  let sum = 0;
  for (const node of nodes) sum += sizeOf(node);
  return sum;
}

function minOf<E extends Keyed>(node: Node<E>): Key {
  return node.leaf ? node.entries[0]!.key : node.mins[0]!;
}

/** First position whose key is not smaller. */
function lowerBound<E extends Keyed>(entries: readonly E[], key: Key): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (entries[middle]!.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The last child whose smallest key is not greater; the first child when there is none. */
function childFor(mins: readonly Key[], key: Key): number {
  let low = 1;
  let high = mins.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (mins[middle]! <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function ownLeaf<E extends Keyed>(node: Leaf<E>, edit: Edit): Leaf<E> {
  return node.edit === edit ? node : { leaf: true, edit, entries: node.entries.slice() };
}

function ownBranch<E extends Keyed>(node: Branch<E>, edit: Edit): Branch<E> {
  if (node.edit === edit) return node;
  return { leaf: false, edit, size: node.size, mins: node.mins.slice(), children: node.children.slice() };
}

/** One entry on its way into the tree, and what came of it. */
interface Put<E extends Keyed> {
  readonly entry: E;
  readonly edit: Edit;
  /** Whether its key was there. */
  known: boolean;
  /** The new right neighbour of the node that was changed last, when that was full. */
  right: Node<E> | undefined;
}

/** The tree with the entry in the place of the one with its key. */
function withEntry<E extends Keyed>(root: Node<E>, entry: E, edit: Edit): Node<E> {
  const put: Put<E> = { entry, edit, known: false, right: undefined };
  const left = setEntry(root, put);
  if (put.right === undefined) return left;
  const children = [left, put.right];
  return { leaf: false, edit, size: sizeSum(children), mins: children.map(minOf), children };
}

/** The tree without the key, which may not be there. */
function withoutKey<E extends Keyed>(root: Node<E>, key: Key, edit: Edit): Node<E> {
  if (entryBelow(root, key) === undefined) return root;
  let left = deleteEntry(root, key, edit);
  while (!left.leaf && left.children.length === 1) left = left.children[0]!;
  return left;
}

/** Puts the entry below the node; answers with what stands in the node's place. */
function setEntry<E extends Keyed>(node: Node<E>, put: Put<E>): Node<E> {
  if (node.leaf) return setInLeaf(node, put);
  const { key } = put.entry;
  const at = childFor(node.mins, key);
  const below = setEntry(node.children[at]!, put);
  const mine = ownBranch(node, put.edit);
  mine.children[at] = below;
  if (!put.known) mine.size++;
  if (at === 0 && key < mine.mins[0]!) mine.mins[0] = key;
  const { right } = put;
  if (right === undefined) return mine;
  mine.children.splice(at + 1, 0, right);
  mine.mins.splice(at + 1, 0, minOf(right));
  put.right = splitBranch(mine, at + 1, put.edit);
  return mine;
}

function setInLeaf<E extends Keyed>(node: Leaf<E>, put: Put<E>): Leaf<E> {
  const { entry, edit } = put;
  const mine = ownLeaf(node, edit);
  const at = lowerBound(mine.entries, entry.key);
  const old = mine.entries[at];
  if (old !== undefined && old.key === entry.key) {
    mine.entries[at] = entry;
    put.known = true;
    return mine;
  }
  if (at === mine.entries.length) mine.entries.push(entry);
  else mine.entries.splice(at, 0, entry);
  const count = mine.entries.length;
  if (count > FANOUT) put.right = { leaf: true, edit, entries: mine.entries.splice(cutAt(count, at)) };
  return mine;
}

function splitBranch<E extends Keyed>(mine: Branch<E>, grewAt: number, edit: Edit): Node<E> | undefined {
  const count = mine.children.length;
  if (count <= FANOUT) return undefined;
  const cut = cutAt(count, grewAt);
  const children = mine.children.splice(cut);
  const mins = mine.mins.splice(cut);
  const size = sizeSum(children);
  mine.size -= size;
  return { leaf: false, edit, size, mins, children };
}

/** Where to cut a full node: keys that come in ascending order leave full nodes behind, others half-full ones. */
function cutAt(count: number, grewAt: number): number {
  return grewAt === count - 1 ? count - 2 : count >>> 1;
}

function deleteEntry<E extends Keyed>(node: Node<E>, key: Key, edit: Edit): Node<E> {
  if (node.leaf) {
    const mine = ownLeaf(node, edit);
    mine.entries.splice(lowerBound(mine.entries, key), 1);
    return mine;
  }
  const at = childFor(node.mins, key);
  const below = deleteEntry(node.children[at]!, key, edit);
  const mine = ownBranch(node, edit);
  mine.size--;
  mine.children[at] = below;
  if (sizeOf(below) === 0) removeChild(mine, at);
  else if (fill(below) < SPARSE) mergeChild(mine, at, edit);
  return mine;
}

function fill<E extends Keyed>(node: Node<E>): number {
  return node.leaf ? node.entries.length : node.children.length;
}

function removeChild<E extends Keyed>(branch: Branch<E>, at: number): void {
  if (branch.children.length === 1) return;
  branch.children.splice(at, 1);
  branch.mins.splice(at, 1);
}

/** Joins a sparse child with a neighbour where both fit in three quarters of a node. */
function mergeChild<E extends Keyed>(branch: Branch<E>, at: number, edit: Edit): void {
  const left = at > 0 ? at - 1 : at;
  const a = branch.children[left];
  const b = branch.children[left + 1];
  if (a === undefined || b === undefined || fill(a) + fill(b) > (FANOUT * 3) / 4) return;
  branch.children[left] = join(a, b, edit);
  branch.children.splice(left + 1, 1);
  branch.mins.splice(left + 1, 1);
}

function join<E extends Keyed>(a: Node<E>, b: Node<E>, edit: Edit): Node<E> {
  if (a.leaf && b.leaf) return { leaf: true, edit, entries: a.entries.concat(b.entries) };
  assert(!a.leaf && !b.leaf, 'neighbours of one tree have one height');
  return {
    leaf: false,
    edit,
    size: a.size + b.size,
    mins: a.mins.concat(b.mins),
    children: a.children.concat(b.children),
  };
}
