import { assert } from '@binnacle/base';
import type { Key } from '../ports.ts';
import type { Span } from './span.ts';

/**
 * A B+tree of entries by their keys. Nodes are copied on their way down to a change, so that whoever keeps a root keeps a
 * snapshot. A node made by the same edit is not shared yet and is changed in place.
 *
 *     Branch  size 5, mins [a, k]
 *       ├─ Leaf  entries [a, c]
 *       └─ Leaf  entries [k, m, z]
 */
export type Node<E extends Keyed> = Leaf<E> | Branch<E>;

/** What is kept under a key. */
export interface Keyed {
  readonly key: Key;
}

/** Changes of one go: known by its identity. Once somebody else has a root of it, the next change takes a new one. */
export type Edit = object;

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

const FANOUT = 32;
const SPARSE = 8;

/** A tree of nothing. */
export function emptyTree<E extends Keyed>(): Node<E> {
  return { leaf: true, edit: {}, entries: [] };
}

/** The entry of the key. */
export function entryBelow<E extends Keyed>(root: Node<E>, key: Key): E | undefined {
  let node = root;
  while (!node.leaf) node = node.children[childFor(node.mins, key)]!;
  const entry = node.entries[lowerBound(node.entries, key)];
  return entry !== undefined && entry.key === key ? entry : undefined;
}

/** Calls `visit` for each entry of the span in order until it answers false; true: all below the node were visited. */
export function walkBelow<E extends Keyed>(node: Node<E>, span: Span, visit: (entry: E) => boolean): boolean {
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

/** How many keys there are in the span; looks at two paths, not at the keys. */
export function countBelow<E extends Keyed>(root: Node<E>, span: Span): number {
  const upTo = span.end === undefined ? sizeOf(root) : countBefore(root, span.end);
  return Math.max(0, upTo - countBefore(root, span.from));
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
export function withEntry<E extends Keyed>(root: Node<E>, entry: E, edit: Edit): Node<E> {
  const put: Put<E> = { entry, edit, known: false, right: undefined };
  const left = setEntry(root, put);
  if (put.right === undefined) return left;
  const children = [left, put.right];
  return { leaf: false, edit, size: sizeSum(children), mins: children.map(minOf), children };
}

/** The tree without the key, which may not be there. */
export function withoutKey<E extends Keyed>(root: Node<E>, key: Key, edit: Edit): Node<E> {
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
