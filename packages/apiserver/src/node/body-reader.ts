import { status } from '@binnacle/machinery';
import type { Clock } from '@binnacle/base';
import type { Readable } from 'node:stream';
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

interface Reading {
  readonly since: number;
  fail(error: Error): void;
}

/** Reads the bodies of one listener's requests, each in its time. */
export class BodyReader {
  readonly #clock: Clock;
  readonly #readings = new Set<Reading>();
  #checking = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Reads a body whole. 413 above the bound, without reading on; 504 when it takes too long; 400 when the sender
   * broke off or sent another number of bytes than it said (Node ends a truncated HTTP/2 stream without an error).
   * Errors of the stream are listened to by whoever opened it; here it is enough that it closes after them.
   */
  read(stream: Readable, { announced, meter, abandon, took }: ExpectedBody): Promise<Uint8Array> {
    const length = announced === undefined ? undefined : Number(announced);
    if (length !== undefined && length > BODY_BYTES_MAX) {
      abandon();
      return Promise.reject(tooLarge());
    }
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      let pieces = 0;
      const reading: Reading = {
        since: this.#clock.monotonic(),
        fail: (error) => settle(() => (abandon(), reject(error))),
      };
      const settle = (how: () => void): void => {
        if (!this.#readings.delete(reading)) return;
        how();
        chunks.length = 0;
      };
      stream.on('data', (chunk: Buffer) => {
        if (!this.#readings.has(reading)) return;
        size += chunk.length;
        if (size > BODY_BYTES_MAX) return reading.fail(tooLarge());
        if (++pieces > PIECES_FREE + size / PIECE_BYTES_MIN) return reading.fail(tooFine());
        try {
          meter?.take(chunk.length);
        } catch (error) {
          return reading.fail(error as Error);
        }
        chunks.push(chunk);
      });
      stream.on('end', () => {
        if (length !== undefined && length !== size) return reading.fail(brokenOff());
        settle(() => {
          const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size);
          took?.(bytes);
          resolve(bytes);
        });
      });
      // Streams close after they ended too.
      stream.on('close', () => {
        if (this.#readings.has(reading)) reading.fail(brokenOff());
      });
      this.#readings.add(reading);
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
    for (const reading of this.#readings) if (reading.since <= latest) reading.fail(tooSlow());
    this.#checkLater();
  }

  #checkLater(): void {
    if (this.#checking || this.#readings.size === 0) return;
    this.#checking = true;
    this.#clock.after(CHECK_MS, () => this.#check(), { background: true });
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
