import { assert } from '@binnacle/base';
import type { Worker } from 'node:worker_threads';
import type { Change } from '../mvcc/entry.ts';
import type { Journal, LeaseRecord } from '../mvcc/journal.ts';
import { DamagedValueError, StoreCutBackError, StoreFullError, StoreUnavailableError } from '../errors.ts';
import type { StoreFile } from './file.ts';
import type { Outbox } from './mailbox.ts';
import type { Failure, FromWorker, Question, Reply } from './messages.ts';
import type { Packed } from './packing.ts';
import { Packer, unpackChanges } from './packing.ts';

interface Waiting {
  readonly batch: number;
  readonly done: (error?: Error) => void;
}

interface Asked {
  readonly onPart: (part: Packed) => void;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

export interface JournalParts {
  readonly worker: Worker;
  /** Into which the worker looks. */
  readonly outbox: Outbox;
  readonly file: StoreFile;
  readonly version: string;
}

/** The main thread's side: packs what was decided, hands it to the worker, and learns when it is durable. */
export class SqliteJournal implements Journal {
  readonly engine = 'sqlite';
  readonly version: string;
  readonly keepsHistory = true;
  readonly #worker: Worker;
  readonly #file: StoreFile;
  readonly #outbox: Outbox;
  readonly #packer: Packer;
  readonly #asked = new Map<number, Asked>();
  #waiting: Waiting[] = [];
  #batch = 0;
  /** The last batch of which is known that it is durable. */
  #durable = 0;
  #isListening = false;
  #nextId = 1;
  #failure: Error | undefined;
  #full: Error | undefined;
  #gone: Error | undefined;
  #closing = false;

  constructor({ worker, outbox, file, version }: JournalParts) {
    this.#worker = worker;
    this.#outbox = outbox;
    this.#packer = new Packer(() => outbox.room());
    this.#file = file;
    this.version = version;
    worker.on('message', (message: FromWorker) => this.#onMessage(message));
    worker.on('error', (cause: Error) => this.#onGone(new StoreUnavailableError('its thread failed', { cause })));
    worker.on('exit', () => this.#onGone(new StoreUnavailableError('its thread has ended', { outcomeUnknown: true })));
  }

  addChanges(changes: readonly Change[]): void {
    for (const change of changes) this.#packer.addChange(change);
  }

  addLease(record: LeaseRecord): void {
    this.#packer.addLease(record);
  }

  /** In the next turn: what all sockets ready in this turn bring goes together. */
  schedule(seal: () => void): void {
    setImmediate(seal);
  }

  commit(done: (error?: Error) => void): void {
    const failure = this.#failure ?? this.#full;
    if (failure !== undefined) {
      this.discard();
      done(failure);
      return;
    }
    this.#batch = (this.#batch + 1) | 0;
    this.#waiting.push({ batch: this.#batch, done });
    this.#outbox.send({ batch: this.#batch, packed: this.#packer.take() });
    this.#listen();
  }

  discard(): void {
    this.#packer.take();
  }

  async probe(): Promise<void> {
    await this.ask({ ask: 'probe' });
    this.#full = undefined;
  }

  async readHistory(after: number, upTo: number): Promise<readonly Change[]> {
    const changes: Change[] = [];
    await this.ask({ ask: 'history', after, upTo }, (part) => changes.push(...unpackChanges(part)));
    return changes;
  }

  async compact(revision: number): Promise<void> {
    await this.ask({ ask: 'compact', revision });
  }

  size(): Promise<number> {
    return this.#file.size();
  }

  /** The file as of the last checkpoint; writers go on into the write-ahead log meanwhile. */
  async *snapshot(): AsyncIterable<Uint8Array> {
    await this.ask({ ask: 'holdFile' });
    let broken: unknown = false;
    try {
      yield* this.#file.read();
    } finally {
      broken = await this.ask({ ask: 'releaseFile' });
    }
    if (broken === true) throw new StoreUnavailableError('the snapshot was read too slowly and is not whole');
  }

  /** The thread and the file are let go even when the last writing fails. */
  async close(): Promise<void> {
    try {
      if (this.#failure === undefined) await this.ask({ ask: 'close' });
    } finally {
      this.#closing = true;
      await this.#worker.terminate();
      this.#outbox.release();
      await this.#file.close();
    }
  }

  /** Asks the worker; resolves with its answer, after the parts that came before it were handed over one by one. */
  ask(question: Question, onPart: (part: Packed) => void = () => undefined): Promise<unknown> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { onPart, resolve, reject });
      this.#outbox.send({ id, question });
    });
  }

  /** Hears of batches as long as one waits. */
  #listen(): void {
    while (!this.#isListening && this.#waiting.length > 0) {
      const more = this.#outbox.moreDurable(this.#durable);
      if (more === undefined) this.#noteDurable();
      else {
        this.#isListening = true;
        // Never rejects.
        void more.then(this.#onMore);
      }
    }
  }

  readonly #onMore = (): void => {
    this.#isListening = false;
    this.#noteDurable();
    this.#listen();
  };

  #noteDurable(): void {
    this.#durable = this.#outbox.durable;
    const ready = this.#waiting.findIndex(({ batch }) => ((batch - this.#durable) | 0) > 0);
    const done = this.#waiting.splice(0, ready < 0 ? this.#waiting.length : ready);
    for (const waiting of done) waiting.done();
  }

  #onMessage(message: FromWorker): void {
    // What is told by a message happened after that.
    this.#noteDurable();
    if ('opened' in message) assert(false, 'the worker opens once');
    else if ('id' in message) this.#onAnswer(message);
    else if ('full' in message) this.#endWaiting((this.#full = toStoreError(message.full, this.#file.path)));
    else this.#fail(toStoreError(message.failed, this.#file.path));
  }

  #onAnswer(message: Reply): void {
    const asked = this.#asked.get(message.id);
    if (asked === undefined) return;
    if ('part' in message) {
      asked.onPart(message.part);
      return;
    }
    this.#asked.delete(message.id);
    if ('failed' in message) asked.reject(toStoreError(message.failed, this.#file.path));
    else asked.resolve(message.answer);
  }

  #fail(error: Error): void {
    if (this.#closing) return;
    this.#failure ??= error;
    this.#endWaiting(this.#failure);
  }

  /** A thread that is gone answers nothing more. */
  #onGone(error: Error): void {
    this.#outbox.release();
    this.#fail(error);
    this.#gone ??= error;
    for (const asked of this.#asked.values()) asked.reject(this.#gone);
    this.#asked.clear();
  }

  #endWaiting(error: Error): void {
    for (const waiting of this.#waiting.splice(0)) waiting.done(error);
  }
}

/** What the worker reports, as an error of the room. */
export function toStoreError(failure: Failure, path: string): Error {
  if (failure.damagedKey !== undefined) return new DamagedValueError(failure.damagedKey);
  const { outcomeUnknown, message } = failure;
  if (failure.cutBack !== undefined) return new StoreCutBackError(failure.cutBack.why, failure.cutBack.facts);
  const code = failure.code & 0xff;
  const why = `${path}: ${REASONS[code] ?? 'the file cannot be used'} (${message})`;
  return code === SQLITE_FULL ? new StoreFullError(why) : new StoreUnavailableError(why, { outcomeUnknown });
}

const SQLITE_FULL = 13;

/** By SQLite's primary result code. */
const REASONS: { readonly [code: number]: string } = {
  5: 'another process holds the file',
  8: 'the file cannot be written',
  10: 'input or output failed',
  11: 'the file is damaged',
  13: 'the disk is full',
  14: 'the file cannot be opened',
  26: 'the file is no store',
};
