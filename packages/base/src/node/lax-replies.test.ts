import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { areSoundLines, readLaxHead } from './lax-replies.ts';

const head = (...rawHeaders: string[]): IncomingMessage => {
  const headers: { [name: string]: string } = {};
  for (let at = 0; at < rawHeaders.length; at += 2) headers[rawHeaders[at] ?? ''] = rawHeaders[at + 1] ?? '';
  return { headers, rawHeaders } as unknown as IncomingMessage;
};

test('a length stays, but beside chunks', () => {
  assert.deepEqual(readLaxHead(head('content-length', '2')), { 'content-length': '2' });
  assert.deepEqual(readLaxHead(head('transfer-encoding', 'chunked')), { 'transfer-encoding': 'chunked' });
  assert.deepEqual(readLaxHead(head('content-length', '2', 'transfer-encoding', 'chunked')), {
    'transfer-encoding': 'chunked',
  });
});

test('control characters but tab cannot be passed on', () => {
  assert.equal(readLaxHead(head('a', 'b\0')), undefined);
  for (const text of ['\x01', 'a\x1f', 'a\nb', 'a\r', '\x7f']) assert.equal(areSoundLines(['a', text]), false);
  assert.equal(areSoundLines(['a', 'b\tc d\xe9']), true);
});
