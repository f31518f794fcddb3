import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { CommitError, Database, PAGE_BYTES } from './database.ts';
import type {
  CommitMessage,
  Failure,
  FromWorker,
  Question,
  QuestionMessage,
  ToWorker,
  WorkerStart,
} from './messages.ts';
import type { Packed } from './packing.ts';

/**
 * The thread that owns the file. All batches that wait when it comes round go into one commit, so one fsync serves
 * all writers waiting; compaction and checkpoints are done in small pieces after the acknowledgement.
 */

const COMMIT_BYTES_MAX = 8 * 1024 * 1024;
const CHECKPOINT_PAGES = 500;
/** While a snapshot is read nothing is moved into the file; when the log has grown so far the snapshot has to go. */
const HOLD_PAGES_MAX = 32_768;

class Clerk {
  readonly #db: Database;
  readonly #send: (message: FromWorker, transfer?: ArrayBuffer[]) => void;
  readonly #receive: () => ToWorker | undefined;
  /** Pages in the write-ahead log, as a guess from above. */
  #walPages = 0;
  #holds = 0;
  #holdBroken = false;
  #failure: Failure | undefined;
  #compactionDue = false;

  constructor(
    db: Database,
    send: (message: FromWorker, transfer?: ArrayBuffer[]) => void,
    receive: () => ToWorker | undefined,
  ) {
    this.#db = db;
    this.#send = send;
    this.#receive = receive;
  }

  /** Serves the message and everything that has come in meanwhile. */
  serve(first: ToWorker): void {
    for (let next: ToWorker | undefined = first; next !== undefined; next = this.#receive()) {
      if ('id' in next) this.#answer(next);
      else {
        const question = this.#commit(next);
        if (question !== undefined) this.#answer(question);
      }
      if (this.#walPages >= CHECKPOINT_PAGES) this.#checkpoint();
    }
    this.#scheduleCompaction();
  }

  /** Commits the batch and those behind it; answers with the question that it met on the way. */
  #commit(first: CommitMessage): QuestionMessage | undefined {
    let question: QuestionMessage | undefined;
    let last = first.batch;
    let bytes = 0;
    this.#tryWriting(() => {
      for (let batch: CommitMessage | undefined = first; batch !== undefined;) {
        this.#db.write(batch.packed);
        last = batch.batch;
        bytes += batch.packed.bytes.byteLength + batch.packed.count * 64;
        const next = bytes < COMMIT_BYTES_MAX ? this.#receive() : undefined;
        if (next !== undefined && 'id' in next) question = next;
        batch = next === undefined || 'id' in next ? undefined : next;
      }
      if (this.#compactionDue) this.#db.compactSome();
    });
    this.#walPages += 2 + Math.ceil(bytes / PAGE_BYTES);
    if (this.#failure === undefined) this.#send(last);
    return question;
  }

  #tryWriting(work: () => void): void {
    if (this.#failure !== undefined) return;
    try {
      this.#db.transaction(work);
    } catch (error) {
      this.#failure = describe(error);
      this.#send({ failed: this.#failure });
    }
  }

  #checkpoint(): void {
    if (this.#holds > 0 && this.#walPages < HOLD_PAGES_MAX) return;
    if (this.#holds > 0) this.#holdBroken = true;
    try {
      this.#db.checkpoint();
      this.#walPages = 0;
    } catch (error) {
      // What is acknowledged is in the log already; the next commit meets the same trouble and tells it.
      this.#walPages = 0;
      if (this.#failure === undefined) this.#send({ failed: (this.#failure = describe(error)) });
    }
  }

  #scheduleCompaction(): void {
    if (this.#compactionDue || this.#failure !== undefined || !this.#db.compacting) return;
    this.#compactionDue = true;
    setImmediate(() => {
      this.#compactionDue = false;
      this.#tryWriting(() => this.#db.compactSome());
      this.#tryWriting(() => this.#db.vacuumSome());
      this.#walPages += 256;
      if (this.#walPages >= CHECKPOINT_PAGES) this.#checkpoint();
      this.#scheduleCompaction();
    });
  }

  #answer(message: QuestionMessage): void {
    try {
      this.#send({ id: message.id, answer: this.#ask(message.id, message.question) });
    } catch (error) {
      this.#send({ id: message.id, failed: describe(error) });
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
    this.#send({ id, part }, [part.numbers.buffer, part.bytes.buffer]);
  }
}

const SQLITE_FULL = 13;

function describe(error: unknown): Failure {
  const inCommit = error instanceof CommitError;
  const thrown = inCommit ? error.cause : error;
  const code =
    thrown instanceof Error && 'errcode' in thrown && typeof thrown.errcode === 'number' ? thrown.errcode : 0;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { message, code, outcomeUnknown: inCommit && code !== SQLITE_FULL };
}

function start(): void {
  const port = parentPort;
  if (port === null) return;
  const { path, bytesMax } = workerData as WorkerStart;
  const send = (message: FromWorker, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  try {
    const receive = (): ToWorker | undefined =>
      (receiveMessageOnPort(port) as { message: ToWorker } | undefined)?.message;
    const clerk = new Clerk(new Database(path, bytesMax), send, receive);
    port.on('message', (message: ToWorker) => clerk.serve(message));
    send({ opened: true });
  } catch (error) {
    send({ failed: describe(error) });
  }
}

start();
