import { assert } from '@binnacle/base';
import type { Key } from '../ports.ts';

/**
 * The index of live keys: a B+tree whose nodes are copied on their way down to a change, so that whoever keeps a
 * `Tree` keeps a snapshot. A node made under the current edit number is not shared yet and is changed in place;
 * `freeze` draws the line after which everything made so far is shared.
 *
 *     Branch  size 5, mins [a, k]
 *       ├─ Leaf  entries [a, c]
 *       └─ Leaf  entries [k, m, z]
 */
export interface Keyed {
  readonly key: Key;
}

interface Leaf<E extends Keyed> {
  readonly leaf: true;
  readonly edit: number;
  readonly entries: E[];
}

interface Branch<E extends Keyed> {
  readonly leaf: false;
  readonly edit: number;
  size: number;
  /** The smallest key below each child; may be lower than what is really there after a removal. */
  readonly mins: Key[];
  readonly children: Node<E>[];
}

type Node<E extends Keyed> = Leaf<E> | Branch<E>;

/** A snapshot of the map. */
export type Tree<E extends Keyed> = Node<E>;

const FANOUT = 32;
const SPARSE = 8;

/** Keys from `from` on and before `end`; no `end`: to the last. */
export interface Span {
  readonly from: Key;
  readonly end: Key | undefined;
}

export class OrderedMap<E extends Keyed> {
  #edit = 1;
  #root: Node<E> = { leaf: true, edit: 1, entries: [] };
  /** The last question and its answer, good until the next change: a transaction asks for its key more than once. */
  #asked: Key | undefined;
  #found: E | undefined;

  get size(): number {
    return sizeOf(this.#root);
  }

  get(key: Key): E | undefined {
    if (key === this.#asked) return this.#found;
    this.#asked = key;
    this.#found = getEntry(this.#root, key);
    return this.#found;
  }

  /** The map as it is now; later changes do not touch it. */
  freeze(): Tree<E> {
    this.#edit++;
    return this.#root;
  }

  /** Goes back to a snapshot of it. */
  restore(tree: Tree<E>): void {
    this.#edit++;
    this.#root = tree;
    this.#asked = undefined;
  }

  /** The map as it is now, good until the next change: costs nothing, keeps nothing. */
  peek(): Tree<E> {
    return this.#root;
  }

  /** Puts the entry in the place of the one with its key; answers with that one. */
  set(entry: E): E | undefined {
    const put: Put<E> = { entry, edit: this.#edit, old: undefined, right: undefined };
    const root = setEntry(this.#root, put);
    if (put.right === undefined) {
      this.#root = root;
    } else {
      const children = [root, put.right];
      this.#root = { leaf: false, edit: this.#edit, size: sizeSum(children), mins: children.map(minOf), children };
    }
    this.#asked = entry.key;
    this.#found = entry;
    return put.old;
  }

  /** Takes the key out; answers with what was there. */
  delete(key: Key): E | undefined {
    const old = this.get(key);
    if (old === undefined) return undefined;
    this.#asked = undefined;
    this.#root = deleteEntry(this.#root, key, this.#edit);
    while (!this.#root.leaf && this.#root.children.length === 1) this.#root = this.#root.children[0]!;
    return old;
  }
}

/** The entry of the key in a snapshot. */
export function getEntry<E extends Keyed>(tree: Tree<E>, key: Key): E | undefined {
  let node = tree;
  while (!node.leaf) node = node.children[childFor(node.mins, key)]!;
  const entry = node.entries[lowerBound(node.entries, key)];
  return entry !== undefined && entry.key === key ? entry : undefined;
}

/** How many keys a snapshot has in the span; looks at two paths, not at the keys. */
export function countSpan<E extends Keyed>(tree: Tree<E>, span: Span): number {
  const upTo = span.end === undefined ? sizeOf(tree) : countBefore(tree, span.end);
  return Math.max(0, upTo - countBefore(tree, span.from));
}

/** Calls `visit` for each entry of the span in order until it answers false. */
export function walkSpan<E extends Keyed>(tree: Tree<E>, span: Span, visit: (entry: E) => boolean): boolean {
  if (tree.leaf) {
    for (let i = lowerBound(tree.entries, span.from); i < tree.entries.length; i++) {
      const entry = tree.entries[i]!;
      if (span.end !== undefined && entry.key >= span.end) return false;
      if (!visit(entry)) return false;
    }
    return true;
  }
  for (let i = childFor(tree.mins, span.from); i < tree.children.length; i++) {
    if (span.end !== undefined && i > 0 && tree.mins[i]! >= span.end) return false;
    if (!walkSpan(tree.children[i]!, span, visit)) return false;
  }
  return true;
}

function countBefore<E extends Keyed>(tree: Tree<E>, key: Key): number {
  let count = 0;
  let node = tree;
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

function ownLeaf<E extends Keyed>(node: Leaf<E>, edit: number): Leaf<E> {
  return node.edit === edit ? node : { leaf: true, edit, entries: node.entries.slice() };
}

function ownBranch<E extends Keyed>(node: Branch<E>, edit: number): Branch<E> {
  if (node.edit === edit) return node;
  return { leaf: false, edit, size: node.size, mins: node.mins.slice(), children: node.children.slice() };
}

/** One entry on its way into the tree, and what came of it. */
interface Put<E extends Keyed> {
  readonly entry: E;
  readonly edit: number;
  /** What the key had. */
  old: E | undefined;
  /** The new right neighbour of the node that was changed last, when that was full. */
  right: Node<E> | undefined;
}

/** Puts the entry below the node; answers with what stands in the node's place. */
function setEntry<E extends Keyed>(node: Node<E>, put: Put<E>): Node<E> {
  if (node.leaf) return setInLeaf(node, put);
  const { key } = put.entry;
  const at = childFor(node.mins, key);
  const below = setEntry(node.children[at]!, put);
  const mine = ownBranch(node, put.edit);
  mine.children[at] = below;
  if (put.old === undefined) mine.size++;
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
    put.old = old;
    return mine;
  }
  if (at === mine.entries.length) mine.entries.push(entry);
  else mine.entries.splice(at, 0, entry);
  const count = mine.entries.length;
  if (count > FANOUT) put.right = { leaf: true, edit, entries: mine.entries.splice(cutAt(count, at)) };
  return mine;
}

function splitBranch<E extends Keyed>(mine: Branch<E>, grewAt: number, edit: number): Node<E> | undefined {
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

function deleteEntry<E extends Keyed>(node: Node<E>, key: Key, edit: number): Node<E> {
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
function mergeChild<E extends Keyed>(branch: Branch<E>, at: number, edit: number): void {
  const left = at > 0 ? at - 1 : at;
  const a = branch.children[left];
  const b = branch.children[left + 1];
  if (a === undefined || b === undefined || fill(a) + fill(b) > (FANOUT * 3) / 4) return;
  branch.children[left] = join(a, b, edit);
  branch.children.splice(left + 1, 1);
  branch.mins.splice(left + 1, 1);
}

function join<E extends Keyed>(a: Node<E>, b: Node<E>, edit: number): Node<E> {
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
