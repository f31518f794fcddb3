import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeflate, constants } from 'node:zlib';
import { StreamProtocolError } from '../errors.ts';
import { spdyDictionary } from '../spdy/dictionary.ts';
import { decodeHeaderBlock, encodeHeaderBlock } from '../spdy/header-block.ts';
import { createHeaderCodec } from './header-codec.ts';

test('blocks go there and back, each in its turn', async () => {
  const [near, far] = [createHeaderCodec(), createHeaderCodec()];
  for (const headers of [{ streamtype: 'stdin' }, { streamtype: 'stdout' }, {}, { port: '80', requestid: '0' }]) {
    const packed = await near.compress(encodeHeaderBlock(headers));
    assert.deepEqual(decodeHeaderBlock(await far.decompress(packed)), headers);
  }
  near.close();
  far.close();
  await assert.rejects(near.compress(new Uint8Array(4)), StreamProtocolError);
});

test('a block that grows without bound is refused', async () => {
  const bomb = createDeflate({ dictionary: spdyDictionary(), flush: constants.Z_SYNC_FLUSH });
  bomb.write(Buffer.alloc(64 * 1024 * 1024));
  const parts: Uint8Array[] = [];
  await new Promise<void>((resolve) => {
    bomb.on('data', (part: Uint8Array) => parts.push(part));
    bomb.on('end', () => resolve());
    bomb.end();
  });
  const codec = createHeaderCodec();
  await assert.rejects(codec.decompress(Buffer.concat(parts)), /a header block is too long/);
  await assert.rejects(codec.decompress(new Uint8Array(1)), StreamProtocolError);
});

test('what is no zlib, or has another dictionary, is refused', async () => {
  await assert.rejects(createHeaderCodec().decompress(new Uint8Array([1, 2, 3, 4])), StreamProtocolError);
  const other = createDeflate({ dictionary: Buffer.from('other'), flush: constants.Z_SYNC_FLUSH });
  const packed = await new Promise<Uint8Array>((resolve) => {
    other.once('data', resolve);
    other.write('x');
  });
  other.destroy();
  await assert.rejects(createHeaderCodec().decompress(packed), StreamProtocolError);
});
