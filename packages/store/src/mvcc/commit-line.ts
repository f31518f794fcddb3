import { StoreUnavailableError } from '../errors.ts';
import { Batch } from './batch.ts';
import type { Change } from './entry.ts';
import type { Journal, LeaseRecord } from './journal.ts';

export interface CommitLineParts {
  readonly journal: Journal;
  /** Notes in the batch what will be visible after it. */
  readonly seal: (batch: Batch) => void;
  /** The batch is durable: make it visible and tell the watchers. Answers are given afterwards. */
  readonly publish: (batch: Batch) => void;
  /** Writing has ended for good. */
  readonly onFailure: (error: StoreUnavailableError) => void;
}

const WAITING_MAX = 10_000;
const WAITING_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Where writes wait for their commit: one batch is open, those before it are on their way to the disk. Bounded; when
 * full, new writes are refused. After a failure nothing is written any more: the head is ahead of the disk for good.
 */
export class CommitLine {
  readonly #parts: CommitLineParts;
  readonly #inFlight: Batch[] = [];
  readonly #durable: Batch[] = [];
  #open = new Batch();
  #waiting = 0;
  #waitingBytes = 0;
  #publishing = false;
  #failure: StoreUnavailableError | undefined;

  constructor(parts: CommitLineParts) {
    this.#parts = parts;
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Throws StoreUnavailableError when writing has ended, or too much waits already. */
  assertRoom(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#waiting >= WAITING_MAX || this.#waitingBytes >= WAITING_BYTES_MAX) {
      throw new StoreUnavailableError('too many transactions are waiting');
    }
  }

  add(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    this.#parts.journal.addChanges(changes);
    const open = this.#open;
    for (const change of changes) {
      const bytes = change.kv.value.byteLength;
      open.changes.push(change);
      open.bytes += bytes;
      this.#waitingBytes += bytes;
    }
  }

  addLease(record: LeaseRecord): void {
    this.#parts.journal.addLease(record);
  }

  /** Resolves with the value when what was added so far is durable and visible. */
  commit<T>(value: T): Promise<T> {
    const batch = this.#open;
    const answer = batch.answer(value);
    this.#waiting++;
    if (!batch.written) {
      batch.written = true;
      this.#parts.journal.schedule(() => this.#seal());
    }
    return answer;
  }

  /** For answers that wrote nothing: they may rest on what is not durable yet, and then wait for it. */
  whenDurable<T>(value: T): Promise<T> {
    const batch = this.#open.written ? this.#open : this.#inFlight.at(-1);
    if (batch === undefined) return Promise.resolve(value);
    this.#waiting++;
    return batch.answer(value);
  }

  #seal(): void {
    const batch = this.#open;
    if (!batch.written) return;
    this.#open = new Batch();
    this.#parts.seal(batch);
    this.#inFlight.push(batch);
    this.#parts.journal.commit((error) => (error === undefined ? this.#onDurable(batch) : this.#fail(error)));
  }

  /** A sink may write in its turn; what it wrote is told after the batch being told now. */
  #onDurable(batch: Batch): void {
    if (this.#failure !== undefined) return;
    this.#durable.push(batch);
    if (this.#publishing) return;
    this.#publishing = true;
    for (let next = this.#durable.shift(); next !== undefined; next = this.#durable.shift()) {
      this.#inFlight.shift();
      this.#waiting -= next.waiting;
      this.#waitingBytes -= next.bytes;
      this.#parts.publish(next);
      next.settle();
    }
    this.#publishing = false;
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    const failure =
      error instanceof StoreUnavailableError ? error : new StoreUnavailableError('writing failed', { cause: error });
    this.#failure = failure;
    const batches = [...this.#inFlight.splice(0), this.#open];
    this.#open = new Batch();
    this.#waiting = 0;
    this.#waitingBytes = 0;
    this.#parts.onFailure(failure);
    for (const batch of batches) batch.fail(failure);
  }
}
