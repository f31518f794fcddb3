import { randomFillSync } from 'node:crypto';
import type { Clock, Timer } from '../clock.ts';
import type { Random } from '../random.ts';

export { certifiedCaller, clientSubject } from './client-subject.ts';
export type { ClientSubject } from './client-subject.ts';
export { forgetListeners } from './closed-stream.ts';
export { ConnectionBound } from './connection-bound.ts';
export { listenWithin } from './listen-within.ts';
export { limitOpening } from './opening-limit.ts';
export { openTunnel, ProxyError } from './proxy-tunnel.ts';
export type { TunnelTarget } from './proxy-tunnel.ts';
export { createHttpCaller } from './http-caller.ts';
export type { HttpCallerOptions } from './http-caller.ts';
export { areSoundLines, LAX_REPLIES, readLaxHead } from './lax-replies.ts';
export { returnMemoryWhenIdle } from './idle-memory.ts';
export { nodeStreamOf } from './duplex-stream.ts';
export { nodeHttp } from './node-http.ts';
export { readTextFile, writeSecretFile } from './secret-file.ts';
export { identityCheck } from './server-identity.ts';
export { startTicks } from './start-ticks.ts';
export { duplexOf } from './stream-duplex.ts';

/** Node's timers go no further, and ring at once for what is. */
const DELAY_MS_MAX = 2 ** 31 - 1;

/** The machine's time. */
export const realClock: Clock = {
  now: () => Date.now(),
  // As fast as `performance.now()`, which would have each start load all that Node measures.
  monotonic() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
  after(delayMs, run, options) {
    if (delayMs > DELAY_MS_MAX) return afterLong(delayMs, run, options);
    const timer = setTimeout(run, delayMs);
    if (options?.background === true) timer.unref();
    return { cancel: (): void => clearTimeout(timer) };
  },
  soon(run) {
    const handle = setImmediate(run);
    return { cancel: (): void => clearImmediate(handle) };
  },
};

/** Of more than 24 days: one timer after the other. */
function afterLong(...[delayMs, run, options]: Parameters<Clock['after']>): Timer {
  const goOn = (): void => {
    timer = realClock.after(delayMs - DELAY_MS_MAX, run, options);
  };
  let timer = realClock.after(DELAY_MS_MAX, goOn, options);
  return { cancel: (): void => timer.cancel() };
}

// One pool a process, bounded by its size: the machine's randomness belongs to nobody in it.
const pool = new Uint32Array(4096);
const poolBytes = new Uint8Array(pool.buffer);
// Bounded by the pool: how much of it is drawn.
let used = pool.length;

/** Takes this many words off the pool; answers where they begin. */
function draw(words: number): number {
  if (used + words > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += words;
  return used - words;
}

const POOLED_BYTES_MAX = 256;

// Where the letters of each byte of a UUID stand in its text; the hyphens are there already.
const UUID_PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const HEX = Buffer.from('0123456789abcdef');
const uuidLetters = Buffer.alloc(36, '-');

/** Text in one piece, which Node's own is not: it is put together of twenty parts, and copied when it is first read. */
function makeUuid(): string {
  const from = draw(4) * 4;
  poolBytes[from + 6] = ((poolBytes[from + 6] as number) & 0x0f) | 0x40;
  poolBytes[from + 8] = ((poolBytes[from + 8] as number) & 0x3f) | 0x80;
  for (let i = 0; i < 16; i++) {
    const byte = poolBytes[from + i] as number;
    const place = UUID_PLACES[i] as number;
    uuidLetters[place] = HEX[byte >> 4] as number;
    uuidLetters[place + 1] = HEX[byte & 0x0f] as number;
  }
  // What was given away is not kept.
  poolBytes.fill(0, from, from + 16);
  return uuidLetters.toString('latin1');
}

/** The machine's secure random numbers, drawn in blocks: one call of the system costs as much as a whole object. */
export const secureRandom: Random = {
  uint32: () => pool[draw(1)] as number,
  bytes(length) {
    if (length > POOLED_BYTES_MAX) return randomFillSync(new Uint8Array(length));
    const from = draw(Math.ceil(length / 4)) * 4;
    const out = poolBytes.slice(from, from + length);
    // What was given away is not kept.
    poolBytes.fill(0, from, from + length);
    return out;
  },
  uuid: makeUuid,
};
