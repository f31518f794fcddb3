import { CatalogueError } from '@binnacle/base';
import { DamagedValueError, StoreCutBackError } from '../errors.ts';
import type { Database } from './database.ts';
import { CommitError } from './database.ts';
import type { CommitMessage, Failure, FromWorker, Question, QuestionMessage, ToWorker } from './messages.ts';
import type { Packed } from './packing.ts';
import { buffersOf } from './packing.ts';
import { PAGE_BYTES } from './schema.ts';

const COMMIT_BYTES_MAX = 8 * 1024 * 1024;
const CHECKPOINT_PAGES = 500;
/** While a snapshot is read nothing is moved into the file; when the log has grown so far the snapshot has to go. */
const HOLD_PAGES_MAX = 32_768;

/** What the clerk hears and says. */
export interface ClerkParts {
  readonly send: (message: FromWorker, transfer?: ArrayBuffer[]) => void;
  /** All batches up to this one are durable. */
  readonly tellDurable: (batch: number) => void;
  /** What came in next; what came before it is done with, its memory too. */
  readonly receive: () => ToWorker | undefined;
}

/**
 * Who owns the file. All batches that wait when it comes round go into one commit, so one fsync serves all writers
 * waiting; compaction and checkpoints are done in small pieces after the acknowledgement. When there is no room it
 * drops all batches, which rest on one another, until a probe finds room.
 */
export class Clerk {
  readonly #db: Database;
  readonly #parts: ClerkParts;
  /** Pages in the write-ahead log, as a guess from above. */
  #walPages = 0;
  #holds = 0;
  #holdBroken = false;
  #failure: Failure | undefined;
  #isFull = false;
  #compactionDue = false;
  /** There was no room for it; it is tried again after a probe. */
  #compactionHeld = false;

  constructor(db: Database, parts: ClerkParts) {
    this.#db = db;
    this.#parts = parts;
  }

  /** Serves the message and everything that has come in meanwhile. */
  serve(first: ToWorker): void {
    for (let next: ToWorker | undefined = first; next !== undefined; next = this.#parts.receive()) {
      if ('id' in next) this.#answer(next);
      else {
        const question = this.#commit(next);
        if (question !== undefined) this.#answer(question);
      }
      if (this.#walPages >= CHECKPOINT_PAGES) this.#checkpoint();
    }
    this.#noteCompaction();
  }

  /** Does a piece of what is put off while there is something to serve; false: there was none. */
  compact(): boolean {
    if (!this.#compactionDue) return false;
    this.#compactionDue = false;
    this.#compactSome();
    if (this.#walPages >= CHECKPOINT_PAGES) this.#checkpoint();
    this.#noteCompaction();
    return true;
  }

  /** Commits the batch and those behind it; answers with the question that it met on the way. */
  #commit(first: CommitMessage): QuestionMessage | undefined {
    let question: QuestionMessage | undefined;
    let last = first.batch;
    let bytes = 0;
    const isDurable = this.#tryWriting(() => {
      for (let batch: CommitMessage | undefined = first; batch !== undefined;) {
        this.#db.write(batch.packed);
        last = batch.batch;
        bytes += batch.packed.bytes.byteLength + batch.packed.count * 64;
        const next = bytes < COMMIT_BYTES_MAX ? this.#parts.receive() : undefined;
        if (next !== undefined && 'id' in next) question = next;
        batch = next === undefined || 'id' in next ? undefined : next;
      }
      if (this.#compactionDue) this.#db.compactSome();
    });
    // A quarter more than its bytes, and two pages at the least: pages are not filled.
    this.#walPages += 3 + Math.ceil((bytes * 1.25) / PAGE_BYTES);
    if (isDurable) this.#parts.tellDurable(last);
    return question;
  }

  /** Whether the work is durable; where it is not, that was told. */
  #tryWriting(work: () => void): boolean {
    if (this.#failure !== undefined || this.#isFull) return false;
    try {
      this.#db.transaction(work);
      return true;
    } catch (error) {
      const failure = describe(error);
      if (isFull(failure)) {
        this.#isFull = true;
        this.#compactionHeld = true;
        this.#parts.send({ full: failure });
      } else this.#fail(failure);
      return false;
    }
  }

  #fail(failure: Failure): void {
    this.#failure = failure;
    this.#parts.send({ failed: failure });
  }

  /** Throws what a write would meet. */
  #probe(): void {
    if (this.#failure !== undefined) throw new FailedError(this.#failure);
    // What the log holds may fit into the file, and then the log is written anew from its beginning.
    if (this.#isFull) this.#checkpoint();
    this.#db.transaction(() => this.#db.touch());
    this.#walPages += 2;
    this.#isFull = false;
    this.#compactionHeld = false;
  }

  #checkpoint(): void {
    if (this.#holds > 0 && this.#walPages < HOLD_PAGES_MAX) return;
    if (this.#holds > 0) this.#holdBroken = true;
    this.#walPages = 0;
    try {
      this.#db.checkpoint();
    } catch (error) {
      // What is acknowledged is in the log already; where there is no room for the file to grow, the log does, or tells.
      const failure = describe(error);
      if (this.#failure === undefined && !isFull(failure)) this.#fail(failure);
    }
  }

  #noteCompaction(): void {
    if (this.#compactionDue || this.#compactionHeld || this.#failure !== undefined) return;
    this.#compactionDue = this.#db.compacting;
  }

  #compactSome(): void {
    if (this.#failure !== undefined) return;
    try {
      this.#db.transaction(() => this.#db.compactSome());
      this.#db.transaction(() => this.#db.vacuumSome());
      this.#walPages += 256;
    } catch (error) {
      const failure = describe(error);
      if (isFull(failure)) this.#compactionHeld = true;
      else this.#fail(failure);
    }
  }

  #answer(message: QuestionMessage): void {
    try {
      this.#parts.send({ id: message.id, answer: this.#ask(message.id, message.question) });
    } catch (error) {
      this.#parts.send({ id: message.id, failed: describe(error) });
    }
  }

  #ask(id: number, question: Question): unknown {
    switch (question.ask) {
      case 'load':
        return this.#db.load((part) => this.#sendPart(id, part));
      case 'history':
        this.#sendPart(id, this.#db.history(question.after, question.upTo));
        return undefined;
      case 'compact':
        this.#db.compact(question.revision);
        this.#compactionHeld = false;
        return undefined;
      case 'probe':
        this.#probe();
        return undefined;
      case 'holdFile':
        this.#db.checkpoint();
        this.#walPages = 0;
        this.#holds++;
        return undefined;
      case 'releaseFile': {
        this.#holds--;
        const broken = this.#holdBroken;
        if (this.#holds === 0) this.#holdBroken = false;
        return broken;
      }
      case 'close':
        this.#db.close();
        this.#failure ??= { message: 'closed', code: 0, outcomeUnknown: false };
        return undefined;
    }
  }

  #sendPart(id: number, part: Packed): void {
    this.#parts.send({ id, part }, buffersOf(part));
  }
}

/** A failure told before, told again. */
class FailedError extends CatalogueError {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super('store-failed', failure.message);
    this.failure = failure;
  }
}

const SQLITE_FULL = 13;
/** The system's, of the files that are not SQLite's. */
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);

function isFull(failure: Failure): boolean {
  return (failure.code & 0xff) === SQLITE_FULL;
}

/** What was thrown, as it travels between the threads. */
export function describe(error: unknown): Failure {
  if (error instanceof FailedError) return error.failure;
  const inCommit = error instanceof CommitError;
  const thrown = inCommit ? error.cause : error;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const code = codeOf(thrown);
  const outcomeUnknown = inCommit && (code & 0xff) !== SQLITE_FULL;
  if (thrown instanceof DamagedValueError) return { message, code, outcomeUnknown, damagedKey: thrown.key };
  if (thrown instanceof StoreCutBackError) {
    return { message, code, outcomeUnknown, cutBack: { why: thrown.why, facts: thrown.facts } };
  }
  return { message, code, outcomeUnknown };
}

function codeOf(thrown: unknown): number {
  if (!(thrown instanceof Error)) return 0;
  if ('errcode' in thrown && typeof thrown.errcode === 'number') return thrown.errcode;
  return 'code' in thrown && typeof thrown.code === 'string' && NO_ROOM.has(thrown.code) ? SQLITE_FULL : 0;
}
