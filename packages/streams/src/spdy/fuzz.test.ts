import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDuplexPair, createSeededRandom, randomBelow, VirtualClock } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import { createHeaderCodec } from '../node/header-codec.ts';
import { SpdyConnection } from './connection.ts';
import { dataHead, goaway, ping, rstStream, synStream } from './frame.ts';
import { encodeHeaderBlock } from './header-block.ts';

const ROUNDS = 150;

/** A session as a client sends it, every frame by itself. */
async function session(random: Random): Promise<Uint8Array[]> {
  const codec = createHeaderCodec();
  const frames: Uint8Array[] = [];
  for (let id = 1; id < 20; id += 2) {
    frames.push(synStream(id, await codec.compress(encodeHeaderBlock({ streamtype: 'stdin', port: `${id}` }))));
    const length = randomBelow(random, 3000);
    frames.push(dataHead(id, length, id % 3 === 0), random.bytes(length));
    frames.push([ping(id), rstStream(id, 5), goaway(0, 0)][randomBelow(random, 8)] ?? ping(3));
  }
  codec.close();
  return frames;
}

/** Changes bytes, leaves frames out, repeats them, cuts the end off. */
function spoil(frames: readonly Uint8Array[], random: Random): Uint8Array {
  const kept = frames.flatMap((frame) => {
    const choice = randomBelow(random, 60);
    return choice === 0 ? [] : choice === 1 ? [frame, frame] : [frame];
  });
  const whole = Buffer.concat(kept);
  for (let i = randomBelow(random, 4); i > 0; i--) whole[randomBelow(random, whole.length)] = randomBelow(random, 256);
  return whole.subarray(0, whole.length - Math.max(0, randomBelow(random, 400) - 300));
}

test('whatever comes, the connection ends, and nothing is left waiting', { timeout: 60_000 }, async () => {
  const ends = { orderly: 0, broken: 0 };
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const random = createSeededRandom(seed);
    const input = seed % 10 === 0 ? random.bytes(5000) : spoil(await session(random), random);
    const [near, far] = createDuplexPair({ highWaterBytes: 1 << 20 });
    const server = new SpdyConnection(far, {
      role: 'server',
      codec: createHeaderCodec(),
      clock: new VirtualClock(),
      onStream: ({ bytes }) => {
        const echo = async (): Promise<void> => {
          for (let chunk = await bytes.read(); chunk !== undefined; chunk = await bytes.read())
            await bytes.write(chunk);
          await bytes.end();
        };
        echo().catch((error: unknown) => bytes.abort(error as Error));
      },
    });
    for (let at = 0; at < input.length;) {
      const length = 1 + randomBelow(random, 2000);
      await near.write(input.subarray(at, at + length)).catch(() => undefined);
      at += length;
    }
    await near.end().catch(() => undefined);
    const failure = await server.closed;
    assert.ok(failure === undefined || failure instanceof Error, `seed ${seed}`);
    if (failure === undefined) ends.orderly++;
    else ends.broken++;
  }
  assert.ok(ends.orderly > 5 && ends.broken > 30, JSON.stringify(ends));
});
