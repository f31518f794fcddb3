import { unreachable } from '@binnacle/base';
import type { Compare, Key, KeyValue, Operation, OperationResult, TxnRequest, TxnResult } from '../ports.ts';
import { DamagedValueError, LeaseNotFoundError } from '../errors.ts';
import { holds, refuseDuplicates } from './comparison.ts';
import type { Change, Entry } from './entry.ts';
import { DAMAGED, entrySize, tombstone } from './entry.ts';
import { LeaseTable } from './lease-table.ts';
import type { Tree } from './ordered-map.ts';
import { getEntry, OrderedMap, walkSpan } from './ordered-map.ts';
import { readOne, readSpan } from './past-range.ts';
import { assertKey, spanOf } from './span.ts';

/** What a transaction answers, and what it changed, in the order of its operations. */
export interface Outcome {
  readonly result: TxnResult;
  readonly changes: readonly Change[];
}

type PutOperation = Operation & { readonly type: 'put' };
type DeleteOperation = Operation & { readonly type: 'delete' };

const PUT_DONE: OperationResult = Object.freeze({ type: 'put' });
const NO_CHANGES: readonly Change[] = [];

/**
 * The newest state, durable or not yet: transactions are evaluated against it one after the other, each in a revision
 * of its own. Nobody reads it from outside; what is visible follows after the commit.
 */
export class Head {
  readonly leases = new LeaseTable();
  readonly #map = new OrderedMap<Entry>(entrySize);
  #revision: number;
  #nextPosition: number;
  #bytes = 0;

  constructor(revision: number, nextPosition: number) {
    this.#revision = revision;
    this.#nextPosition = nextPosition;
  }

  get revision(): number {
    return this.#revision;
  }

  get bytes(): number {
    return this.#bytes;
  }

  freeze(): Tree<Entry> {
    return this.#map.freeze();
  }

  /** Takes in what an earlier run of the engine wrote. */
  load(entry: Entry): void {
    this.#map.set(entry);
    this.#bytes += entrySize(entry);
    this.leases.move(entry.key, 0, entry.lease);
  }

  /** Throws before it changed anything. */
  apply(request: TxnRequest): Outcome {
    refuseDuplicates(request.success);
    refuseDuplicates(request.failure);
    for (const { target, key } of request.compare) if (target === 'value') this.#assertWhole(key);
    const succeeded = this.#holds(request.compare);
    const operations = succeeded ? request.success : request.failure;
    for (const op of operations) this.#check(op);
    const changes: Change[] = [];
    const results: OperationResult[] = [];
    for (const op of operations) results.push(this.#run(op, changes));
    return { result: { succeeded, revision: this.#close(changes), results }, changes };
  }

  /** Goes back to what is durable; `undone` is everything that was decided since, in its order. */
  takeBack(durable: { readonly tree: Tree<Entry>; readonly revision: number }, undone: readonly Change[]): void {
    for (const { kv, prevKv } of undone) {
      this.leases.move(kv.key, kv.lease, 0);
      if (prevKv !== undefined) this.leases.move(kv.key, prevKv.lease, 0);
      this.#bytes += (prevKv === undefined ? 0 : entrySize(prevKv)) - (kv.version === 0 ? 0 : entrySize(kv));
    }
    for (const { kv } of undone) this.leases.move(kv.key, 0, getEntry(durable.tree, kv.key)?.lease ?? 0);
    this.#map.restore(
      durable.tree,
      undone.map(({ kv }) => kv.key),
    );
    this.#revision = durable.revision;
  }

  /** Deletes the keys in one revision. */
  deleteKeys(keys: Iterable<Key>): readonly Change[] {
    const changes: Change[] = [];
    for (const key of [...keys].toSorted((a, b) => (a < b ? -1 : 1))) this.#deleteOne(key, changes);
    this.#close(changes);
    return changes.length === 0 ? NO_CHANGES : changes;
  }

  #holds(comparisons: readonly Compare[]): boolean {
    for (const compare of comparisons) if (!holds(compare, this.#map.get(compare.key))) return false;
    return true;
  }

  #close(changes: readonly Change[]): number {
    if (changes.length > 0) this.#revision++;
    return this.#revision;
  }

  #assertWhole(key: Key): void {
    if (this.#map.get(key)?.value === DAMAGED) throw new DamagedValueError(key);
  }

  #check(op: Operation): void {
    if (op.type === 'range') {
      if (op.end === undefined && op.keysOnly !== true && op.countOnly !== true) this.#assertWhole(op.key);
      return;
    }
    if (op.type === 'delete' && op.end !== undefined) return;
    assertKey(op.key);
    if (op.type !== 'put' || op.lease === undefined || op.lease === 0) return;
    if (this.leases.get(op.lease) === undefined) throw new LeaseNotFoundError(op.lease);
  }

  #run(op: Operation, changes: Change[]): OperationResult {
    switch (op.type) {
      case 'put':
        return this.#put(op, changes);
      case 'delete':
        return this.#delete(op, changes);
      case 'range': {
        const revision = this.#revision + (changes.length > 0 ? 1 : 0);
        const read =
          op.end === undefined
            ? readOne(this.#map.get(op.key), op, revision)
            : readSpan(this.#map.freeze(), op, revision);
        return { type: 'range', ...read };
      }
      default:
        return unreachable(op);
    }
  }

  #put(op: PutOperation, changes: Change[]): OperationResult {
    const revision = this.#revision + 1;
    const old = this.#map.get(op.key);
    const kv: Entry = {
      key: op.key,
      value: op.value,
      createRevision: old === undefined ? revision : old.createRevision,
      modRevision: revision,
      version: old === undefined ? 1 : old.version + 1,
      lease: op.lease ?? 0,
      position: this.#nextPosition++,
    };
    this.#map.set(kv);
    this.#bytes += entrySize(kv) - (old === undefined ? 0 : entrySize(old));
    this.leases.move(op.key, old?.lease ?? 0, kv.lease);
    changes.push(old === undefined ? { type: 'put', kv } : { type: 'put', kv, prevKv: old });
    return op.prevKv === true && old !== undefined && old.value !== DAMAGED ? { type: 'put', prevKv: old } : PUT_DONE;
  }

  #delete(op: DeleteOperation, changes: Change[]): OperationResult {
    const keys: Key[] = [];
    if (op.end === undefined) keys.push(op.key);
    else {
      walkSpan(this.#map.freeze(), spanOf(op.key, op.end), (entry) => {
        keys.push(entry.key);
        return true;
      });
    }
    const prevKvs: KeyValue[] = [];
    for (const key of keys) {
      const old = this.#deleteOne(key, changes);
      if (old !== undefined) prevKvs.push(old);
    }
    const told = op.prevKv === true ? prevKvs.filter((kv) => kv.value !== DAMAGED) : [];
    return { type: 'delete', deleted: prevKvs.length, prevKvs: told };
  }

  #deleteOne(key: Key, changes: Change[]): Entry | undefined {
    const old = this.#map.delete(key);
    if (old === undefined) return undefined;
    this.#bytes -= entrySize(old);
    this.leases.move(key, old.lease, 0);
    changes.push({ type: 'delete', kv: tombstone(key, this.#revision + 1, this.#nextPosition++), prevKv: old });
    return old;
  }
}
