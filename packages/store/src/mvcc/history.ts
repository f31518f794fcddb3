import type { Key } from '../ports.ts';
import type { Change, Entry } from './entry.ts';
import { entrySize } from './entry.ts';
import type { Tree } from './ordered-map.ts';
import type { Span } from './span.ts';

interface Checkpoint {
  readonly revision: number;
  readonly tree: Tree<Entry>;
}

/** A snapshot of the index a little after a revision, and what has to be taken back from it. */
export interface Past {
  readonly tree: Tree<Entry>;
  /** In the span, per key changed since: what it was at the revision, or undefined where it did not exist. */
  readonly before: ReadonlyMap<Key, Entry | undefined>;
}

const CHECKPOINT_EVERY = 1024;

/**
 * The changes of the last revisions, oldest first: what a watch from the past is served from, and what a read in the
 * past is computed with. Every 1024 changes a snapshot of the index is kept, so such a read takes back at most 1024.
 */
export class History {
  #changes: (Change | undefined)[] = [];
  #first = 0;
  #floor: number;
  #bytes = 0;
  #checkpoints: Checkpoint[] = [];
  #sinceCheckpoint = 0;

  /** `floor`: the revision before the first change that will be recorded. */
  constructor(floor: number) {
    this.#floor = floor;
  }

  /** Changes after this revision are all here. */
  get floor(): number {
    return this.#floor;
  }

  /** What the old values and the records cost. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the next `record` wants a snapshot of the index. */
  get wantsCheckpoint(): boolean {
    return this.#sinceCheckpoint >= CHECKPOINT_EVERY;
  }

  record(changes: readonly Change[]): void {
    for (const change of changes) {
      this.#changes.push(change);
      this.#bytes += changeSize(change);
    }
    this.#sinceCheckpoint += changes.length;
  }

  checkpoint(revision: number, tree: Tree<Entry>): void {
    // Put in order now: else it would keep alive what is forgotten here.
    tree.settle();
    this.#checkpoints.push({ revision, tree });
    this.#sinceCheckpoint = 0;
  }

  /** The changes of the revisions after `after`, up to and including `upTo`. */
  between(after: number, upTo: number): readonly Change[] {
    const found: Change[] = [];
    for (let i = this.#indexAfter(after), end = this.#indexAfter(upTo); i < end; i++) {
      const change = this.#changes[i];
      if (change !== undefined) found.push(change);
    }
    return found;
  }

  /** How to read the span as of `revision`, which is not below the floor. `now` is the index of the newest revision. */
  past(revision: number, span: Span, now: Tree<Entry>): Past {
    const checkpoint = this.#checkpoints.find((c) => c.revision >= revision);
    const end = checkpoint === undefined ? this.#changes.length : this.#indexAfter(checkpoint.revision);
    const before = new Map<Key, Entry | undefined>();
    for (let i = this.#indexAfter(revision); i < end; i++) {
      const change = this.#changes[i];
      if (change !== undefined) takeBack(change, span, before);
    }
    return { tree: checkpoint?.tree ?? now, before };
  }

  /** The newest revision that can be let go so that not more than `bytesMax` remain. */
  revisionToFit(bytesMax: number): number {
    let bytes = this.#bytes;
    let revision = this.#floor;
    for (let i = this.#first; i < this.#changes.length && bytes > bytesMax; i++) {
      const change = this.#changes[i];
      if (change === undefined) continue;
      bytes -= changeSize(change);
      revision = change.kv.modRevision;
    }
    return revision;
  }

  /** Forgets the changes up to and including `revision`. */
  forget(revision: number): void {
    if (revision <= this.#floor) return;
    const end = this.#indexAfter(revision);
    for (let i = this.#first; i < end; i++) {
      const change = this.#changes[i];
      if (change !== undefined) this.#bytes -= changeSize(change);
      this.#changes[i] = undefined;
    }
    this.#first = end;
    this.#floor = revision;
    this.#checkpoints = this.#checkpoints.filter((c) => c.revision > revision);
    if (this.#first > 1024 && this.#first * 2 > this.#changes.length) this.#shrink();
  }

  #shrink(): void {
    this.#changes = this.#changes.slice(this.#first);
    this.#first = 0;
  }

  /** Position of the first change whose revision is greater. */
  #indexAfter(revision: number): number {
    let low = this.#first;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const change = this.#changes[middle];
      if (change !== undefined && change.kv.modRevision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Notes what the change replaced, unless an earlier change of the key is noted already. */
export function takeBack(change: Change, span: Span, before: Map<Key, Entry | undefined>): void {
  const key = change.kv.key;
  if (key < span.from || (span.end !== undefined && key >= span.end) || before.has(key)) return;
  before.set(key, change.prevKv);
}

function changeSize(change: Change): number {
  return 120 + (change.prevKv === undefined ? 0 : entrySize(change.prevKv));
}
