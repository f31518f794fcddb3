import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, randomBelow, readAll, StreamEndedError } from '@binnacle/base';
import { Channels, channelsOf, decodeBase64, encodeBase64, tunnelOver } from './messages.ts';
import { createMessagesPair } from './testing/messages-pair.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('base64 goes there and back, as Node writes it', () => {
  const random = createSeededRandom(7);
  for (let round = 0; round < 200; round++) {
    const data = random.bytes(randomBelow(random, 50));
    const text = encodeBase64(data);
    assert.equal(text, Buffer.from(data).toString('base64'));
    assert.deepEqual(decodeBase64(bytes(text)), data);
  }
});

for (const text of ['a', 'ab=c', '====', 'a===', '!!!!', 'YQ=', 'ü===']) {
  test(`no base64: ${text}`, () => assert.equal(decodeBase64(bytes(text)), undefined));
}

test('channels: bytes with a first byte, or base64 with a first digit; what is neither is passed over', async () => {
  for (const base64 of [false, true]) {
    const [near, far] = createMessagesPair('');
    const [ours, theirs] = [new Channels(near, base64), new Channels(far, base64)];
    await near.write(new Uint8Array(0));
    if (base64) await near.write(bytes('0!!!'), { text: true });
    await ours.write(3, bytes('x'));
    await ours.write(1, new Uint8Array(0));
    const last = channelsOf(base64) - 1;
    for (const channel of [10, last]) await ours.write(channel, bytes('yz'));
    assert.deepEqual(await theirs.read(), { channel: 3, data: bytes('x') });
    assert.deepEqual(await theirs.read(), { channel: 1, data: new Uint8Array(0) });
    for (const channel of [10, last]) assert.deepEqual(await theirs.read(), { channel, data: bytes('yz') });
    await near.close();
    assert.equal(await theirs.read(), undefined);
  }
});

test('a tunnel is a stream of bytes; its end is the end of both halves', async () => {
  const [near, far] = createMessagesPair('SPDY/3.1+portforward.k8s.io');
  const [ours, theirs] = [tunnelOver(near), tunnelOver(far)];
  await ours.write(bytes('a'));
  await ours.write(new Uint8Array(0));
  await ours.write(bytes('b'));
  await ours.end();
  await assert.rejects(ours.write(bytes('c')), StreamEndedError);
  assert.deepEqual(await readAll(theirs, 10), bytes('ab'));
});
