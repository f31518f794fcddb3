import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VALUES_MAX } from '@binnacle/machinery';
import { readDocumentText, readText } from './read-answer.ts';

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

test('an answer is the same whatever pieces it comes in', async () => {
  const text = `{"a":"${'\u00e9\u{1f600}'.repeat(2000)}"}`;
  for (const size of [1, 3, 4096, 100_000]) assert.equal(await readText(pieces(text, size), 100_000), text);
  assert.equal(await readText(pieces('', 1), 10), '');
});

test('an answer that is too long is read no further', async () => {
  let read = 0;
  const endless = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) {
      read++;
      yield await Promise.resolve(new Uint8Array(100));
    }
  };
  assert.equal(await readText(endless(), 1000), undefined);
  assert.equal(read, 11);
});

test('a document has as many values as one that a client sends', async () => {
  const list = (values: number): string => `[${Array.from({ length: values }, () => '[]').join(',')}]`;
  const most = list(VALUES_MAX - 1);
  assert.equal(await readDocumentText(pieces(most, 65_536), 1 << 20), most);
  await assert.rejects(readDocumentText(pieces(list(VALUES_MAX), 65_536), 1 << 20), { httpCode: 413 });
});
