import { VirtualClock } from '@binnacle/base';
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { BODY_BYTES_MAX, BodyReader } from './body-reader.ts';

function start(announced?: string) {
  const clock = new VirtualClock();
  const stream = new PassThrough();
  const seen = { abandoned: 0, taken: 0 };
  const body = new BodyReader(clock).read(stream, {
    announced,
    meter: { take: (bytes) => void (seen.taken += bytes) },
    abandon: () => void seen.abandoned++,
  });
  return { clock, stream, seen, body };
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

test('a body in pieces', async () => {
  const { stream, seen, body, clock } = start('5');
  stream.write('ab');
  stream.end('cde');
  assert.equal(text(await body), 'abcde');
  assert.deepEqual(seen, { abandoned: 0, taken: 5 });
  await clock.advance(10_000);
  assert.equal(clock.pending, 0, 'no timer is left behind');
});

test('one that stops coming is given up after a minute, however it trickles', async () => {
  const { clock, stream, seen, body } = start('100');
  const refused = assert.rejects(body, /did not come in time/);
  for (let n = 0; n < 13; n++) {
    stream.write('x');
    await clock.advance(5_000);
  }
  await refused;
  assert.equal(seen.abandoned, 1);
  await clock.advance(10_000);
  assert.equal(clock.pending, 0);
});

test('pieces of a byte each are given up, some are taken', async () => {
  const { stream, body, seen } = start();
  const refused = assert.rejects(body, /comes in too many pieces/);
  for (let n = 0; n < 5000; n++) stream.write('x');
  await refused;
  assert.equal(seen.abandoned, 1);
  const few = start();
  for (let n = 0; n < 4000; n++) few.stream.write('x');
  few.stream.end();
  assert.equal((await few.body).length, 4000);
});

test('too large by its header, and by what comes', async () => {
  const known = start(String(BODY_BYTES_MAX + 1));
  await assert.rejects(known.body, /limit is 3145728/);
  const chunked = start();
  const refused = assert.rejects(chunked.body, /limit is 3145728/);
  for (let n = 0; n < 4; n++) chunked.stream.write(Buffer.alloc(1 << 20));
  await refused;
  assert.equal(chunked.seen.abandoned, 1);
});

test('broken off, and another length than said', async () => {
  const broken = start('10');
  const refused = assert.rejects(broken.body, /unexpected EOF/);
  broken.stream.write('abc');
  broken.stream.destroy();
  await refused;
  const short = start('10');
  short.stream.end('abc');
  await assert.rejects(short.body, /unexpected EOF/);
});

test('a meter that has enough ends the reading', async () => {
  const stream = new PassThrough();
  const body = new BodyReader(new VirtualClock()).read(stream, {
    announced: undefined,
    meter: {
      take() {
        throw new RangeError('enough');
      },
    },
    abandon: () => undefined,
  });
  stream.write('a');
  await assert.rejects(body, /enough/);
});
