import { status } from '@binnacle/machinery';
import type { Clock } from '@binnacle/base';
import type { Readable } from 'node:stream';
import { TicketList } from '../fairness/ticket-list.ts';
import type { Listed } from '../fairness/ticket-list.ts';
import type { BodyMeter } from '../request/api-request.ts';

/** Upstream's bound on a request body. */
export const BODY_BYTES_MAX = 3 * 1024 * 1024;
/** Bytes that the pieces of a body have on average, once there are many: each costs as much as some hundred bytes. */
const PIECE_BYTES_MIN = 64;
const PIECES_FREE = 4096;
/** Upstream's default of `--request-timeout`, which counts for bodies too. */
const DEADLINE_MS = 60_000;
/** One timer looks after all bodies: a deadline may be late by so much. */
const CHECK_MS = 5_000;

/** What is known of a body before it comes. */
export interface ExpectedBody {
  /** The `Content-Length` header. */
  readonly announced: string | undefined;
  readonly meter: BodyMeter | undefined;
  /** Called when the rest is not wanted. */
  readonly abandon: () => void;
  /** Is given the whole body when it is here, before the promise says so. */
  readonly took?: (bytes: Uint8Array) => void;
}

/** Reads the bodies of one listener's requests, each in its time. */
export class BodyReader {
  readonly #clock: Clock;
  /** In the order in which they began. */
  readonly #readings = new TicketList<Reading>();
  #checking = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Reads a body whole. 413 above the bound, without reading on; 504 when it takes too long; 400 when the sender
   * broke off or sent another number of bytes than it said (Node ends a truncated HTTP/2 stream without an error).
   * Errors of the stream are listened to by whoever opened it; here it is enough that it closes after them.
   */
  read(stream: Readable, expected: ExpectedBody): Promise<Uint8Array> {
    const length = expected.announced === undefined ? undefined : Number(expected.announced);
    if (length !== undefined && length > BODY_BYTES_MAX) {
      expected.abandon();
      return Promise.reject(tooLarge());
    }
    return new Promise((resolve, reject) => {
      const since = this.#clock.monotonic();
      const reading = new Reading(this.#readings, expected, { length, since, resolve, reject });
      stream.on('data', (chunk: Buffer) => reading.take(chunk));
      stream.on('end', () => reading.end());
      // Streams close after they ended too.
      stream.on('close', () => reading.fail(brokenOff));
      this.#checkLater();
    });
  }

  /**
   * The pieces of a body of any size, at the pace of who takes them; who stops early lets the rest go by. 400 when the
   * sender broke off, as `read`.
   */
  async *pieces(stream: Readable, announced: string | undefined): AsyncGenerator<Uint8Array> {
    let size = 0;
    try {
      for await (const piece of stream.iterator({ destroyOnReturn: false })) {
        size += (piece as Uint8Array).length;
        yield piece as Uint8Array;
      }
    } catch (error) {
      throw brokenOff(error);
    } finally {
      if (!stream.destroyed) stream.resume();
    }
    if (announced === undefined ? stream.readableAborted : Number(announced) !== size) throw brokenOff();
  }

  #check(): void {
    this.#checking = false;
    const latest = this.#clock.monotonic() - DEADLINE_MS;
    for (let next = this.#readings.first; next !== undefined && next.since <= latest; next = this.#readings.first) {
      next.fail(tooSlow);
    }
    this.#checkLater();
  }

  #checkLater(): void {
    if (this.#checking || this.#readings.size === 0) return;
    this.#checking = true;
    this.#clock.after(CHECK_MS, () => this.#check(), { background: true });
  }
}

/** Since when it is read, how long it is to be, and who waits for it. */
interface Wait {
  readonly since: number;
  readonly length: number | undefined;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/** One body on its way; in the list until it is here, or has failed. */
class Reading implements Listed<Reading> {
  before: Reading | undefined = undefined;
  behind: Reading | undefined = undefined;
  readonly #list: TicketList<Reading>;
  readonly #expected: ExpectedBody;
  readonly #wait: Wait;
  #chunks: Buffer[] = [];
  #size = 0;
  #pieces = 0;
  #isOver = false;

  constructor(list: TicketList<Reading>, expected: ExpectedBody, wait: Wait) {
    this.#list = list;
    this.#expected = expected;
    this.#wait = wait;
    list.add(this);
  }

  get since(): number {
    return this.#wait.since;
  }

  take(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#size += chunk.length;
    if (this.#size > BODY_BYTES_MAX) return this.fail(tooLarge);
    if (++this.#pieces > PIECES_FREE + this.#size / PIECE_BYTES_MIN) return this.fail(tooFine);
    try {
      this.#expected.meter?.take(chunk.length);
    } catch (error) {
      return this.fail(() => error);
    }
    this.#chunks.push(chunk);
  }

  end(): void {
    const { length, resolve } = this.#wait;
    if (length !== undefined && length !== this.#size) return this.fail(brokenOff);
    const chunks = this.#chunks;
    if (!this.#leave()) return;
    const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, this.#size);
    this.#expected.took?.(bytes);
    resolve(bytes);
  }

  fail(why: () => unknown): void {
    if (!this.#leave()) return;
    this.#expected.abandon();
    this.#wait.reject(why());
  }

  /** False when it has left already. */
  #leave(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#list.delete(this);
    this.#chunks = [];
    return true;
  }
}

function tooLarge(): Error {
  return status.requestEntityTooLarge(`limit is ${BODY_BYTES_MAX}`);
}

function brokenOff(cause?: unknown): Error {
  const error = status.badRequest('unexpected EOF');
  error.cause = cause;
  return error;
}

function tooFine(): Error {
  return status.badRequest('the body of the request comes in too many pieces');
}

function tooSlow(): Error {
  return status.timeout('Timeout: the body of the request did not come in time', 0);
}
