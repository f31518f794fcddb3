import { constants, createDeflate, createInflate } from 'node:zlib';
import type { Deflate, Inflate } from 'node:zlib';
import { joinBytes } from '@binnacle/base';
import { StreamProtocolError } from '../errors.ts';
import { spdyDictionary } from '../spdy/dictionary.ts';
import type { HeaderCodec } from '../spdy/header-codec.ts';

/** A block of a few headers is some dozens of bytes; what grows beyond this is meant to. */
const BLOCK_BYTES_MAX = 64 * 1024;
/** Headers are short: a small window keeps a connection at 20 KiB in place of 300. */
const COMPRESSION = { windowBits: 11, memLevel: 4 };

/** zlib with the dictionary of SPDY/3. */
export function createHeaderCodec(): HeaderCodec {
  return new ZlibCodec();
}

class ZlibCodec implements HeaderCodec {
  readonly #deflate: Pieces;
  readonly #inflate: Pieces;

  constructor() {
    const dictionary = spdyDictionary();
    this.#deflate = new Pieces(createDeflate({ ...COMPRESSION, dictionary, flush: constants.Z_SYNC_FLUSH }));
    this.#inflate = new Pieces(createInflate({ dictionary, flush: constants.Z_SYNC_FLUSH }));
  }

  compress(block: Uint8Array): Promise<Uint8Array> {
    return this.#deflate.pass(block);
  }

  decompress(block: Uint8Array): Promise<Uint8Array> {
    return this.#inflate.pass(block);
  }

  close(): void {
    this.#deflate.close();
    this.#inflate.close();
  }
}

/** What goes into a zlib stream, and what comes out for it. */
class Pieces {
  readonly #zlib: Deflate | Inflate;
  #out: Uint8Array[] = [];
  #length = 0;
  #failure: Error | undefined;

  constructor(zlib: Deflate | Inflate) {
    this.#zlib = zlib;
    zlib.on('data', (piece: Uint8Array) => {
      this.#out.push(piece);
      this.#length += piece.length;
      if (this.#length > BLOCK_BYTES_MAX) this.#fail(new StreamProtocolError('a header block is too long'));
    });
    zlib.on('error', (error) => this.#fail(new StreamProtocolError(`header compression: ${error.message}`)));
    // A stream that came to its end within the connection has nothing more to say.
    zlib.on('end', () => this.#fail(new StreamProtocolError('header compression ended')));
  }

  pass(block: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#zlib.off('close', settle);
        if (this.#failure !== undefined) reject(this.#failure);
        else resolve(this.#take());
      };
      if (this.#failure !== undefined) {
        settle();
        return;
      }
      this.#zlib.on('close', settle);
      this.#zlib.write(block, settle);
    });
  }

  close(): void {
    this.#fail(new StreamProtocolError('the connection is closed'));
  }

  #take(): Uint8Array {
    const whole = joinBytes(this.#out, this.#length);
    this.#out = [];
    this.#length = 0;
    return whole;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#out = [];
    this.#zlib.destroy();
  }
}
