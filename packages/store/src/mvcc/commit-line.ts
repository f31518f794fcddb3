import type { Clock } from '@binnacle/base';
import { StoreFullError, StoreUnavailableError } from '../errors.ts';
import { Batch } from './batch.ts';
import type { LeaseChange } from './batch.ts';
import type { Change } from './entry.ts';
import type { Journal, LeaseRecord } from './journal.ts';
import { WriteProbe } from './write-probe.ts';

/** What was decided and will not be written, oldest first. */
export interface Undone {
  readonly changes: readonly Change[];
  readonly leaseChanges: readonly LeaseChange[];
}

export interface CommitLineParts {
  readonly clock: Clock;
  readonly journal: Journal;
  /** Notes in the batch what will be visible after it. */
  readonly seal: (batch: Batch) => void;
  /** The batch is durable: make it visible and tell the watchers. Answers are given afterwards. */
  readonly publish: (batch: Batch) => void;
  /** There is no room to write: what was decided since the last durable batch is to be taken back. */
  readonly takeBack: (undone: Undone, error: StoreFullError) => void;
  /** Writing has ended for good. */
  readonly onFailure: (error: StoreUnavailableError) => void;
  /** There is room again after `takeBack`. */
  readonly onResumed: () => void;
}

const WAITING_MAX = 10_000;
const WAITING_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Where writes wait for their commit: one batch is open, those before it are on their way to the disk. Bounded; when
 * full, new writes are refused. A full disk takes back what was not written, and writing goes on once a probe finds
 * room; who wants to write is what asks for the probe. After any other failure nothing is written any more: the head
 * is ahead of the disk for good.
 *
 *     writing ──no room──► held up ──`ready` or `health`, a probe that succeeds──► writing
 *        └─────any other failure─────► failed
 */
export class CommitLine {
  readonly #parts: CommitLineParts;
  readonly #probe: WriteProbe;
  readonly #inFlight: Batch[] = [];
  readonly #durable: Batch[] = [];
  #open = new Batch();
  #waiting = 0;
  #waitingBytes = 0;
  #publishing = false;
  #failure: StoreUnavailableError | undefined;
  #heldUp = false;
  /** Came while a batch was published. */
  #failedMeanwhile: Error | undefined;

  constructor(parts: CommitLineParts) {
    this.#parts = parts;
    this.#probe = new WriteProbe({ clock: parts.clock, write: () => parts.journal.probe() });
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** There was no room: nothing may be added before `ready` resolves. */
  get heldUp(): boolean {
    return this.#heldUp;
  }

  /** Throws StoreUnavailableError when writing has ended, or too much waits already. */
  assertRoom(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#waiting >= WAITING_MAX || this.#waitingBytes >= WAITING_BYTES_MAX) {
      throw new StoreUnavailableError('too many transactions are waiting');
    }
  }

  /** Resolves when there is room again; rejects with StoreFullError when there is none. */
  async ready(): Promise<void> {
    await this.health();
    // Others may have come first, and filled it again.
    if (this.#heldUp) throw new StoreFullError('the disk is full');
  }

  /** Whether something could be written now; see the port. */
  async health(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    await this.#probe.ask();
    if (this.#failure !== undefined) throw this.#failure;
    if (!this.#heldUp) return;
    this.#heldUp = false;
    this.#parts.onResumed();
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

  addLease(record: LeaseRecord, change: LeaseChange): void {
    this.#parts.journal.addLease(record);
    this.#open.leaseChanges.push(change);
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
    this.#probe.note();
    const error = this.#failedMeanwhile;
    this.#failedMeanwhile = undefined;
    if (error !== undefined) this.#fail(error);
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    if (this.#publishing) {
      this.#failedMeanwhile ??= error;
      return;
    }
    // One failure is told to each batch in flight; the first has ended them all.
    if (error instanceof StoreFullError && this.#heldUp) return;
    const batches = [...this.#inFlight.splice(0), this.#open];
    this.#open = new Batch();
    this.#waiting = 0;
    this.#waitingBytes = 0;
    const failure = error instanceof StoreFullError ? this.#holdUp(error, batches) : this.#end(error);
    for (const batch of batches) batch.fail(failure);
  }

  #holdUp(error: StoreFullError, batches: readonly Batch[]): StoreFullError {
    this.#heldUp = true;
    this.#probe.note(error);
    this.#parts.journal.discard();
    const changes = batches.flatMap((batch) => batch.changes);
    const leaseChanges = batches.flatMap((batch) => batch.leaseChanges);
    this.#parts.takeBack({ changes, leaseChanges }, error);
    return error;
  }

  #end(error: Error): StoreUnavailableError {
    const failure =
      error instanceof StoreUnavailableError ? error : new StoreUnavailableError('writing failed', { cause: error });
    this.#failure = failure;
    this.#parts.onFailure(failure);
    return failure;
  }
}
