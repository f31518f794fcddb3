import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAll } from '@binnacle/base';
import { connectResponder } from './responder.ts';

test('requests are answered one after the other, however they are cut', async () => {
  const stream = connectResponder('hello\n');
  const send = (text: string): Promise<void> => stream.write(new TextEncoder().encode(text));
  await send('GET / HTTP/1.1\r\nhost: x\r');
  await send('\n\r\nPOST / HTTP/1.1\r\ncontent-length: 3\r\n\r\nab');
  await send('cHEAD / HTTP/1.1\r\nconnection: close\r\n\r\n');
  const answers = new TextDecoder().decode(await readAll(stream, 10_000));
  assert.equal(answers.match(/HTTP\/1\.1 200 OK/g)?.length, 3);
  assert.equal(answers.match(/\r\n\r\nhello\n/g)?.length, 2);
});

test('the end of the client is the end', async () => {
  const stream = connectResponder('x');
  await stream.end();
  assert.equal(await stream.read(), undefined);
  assert.equal(await stream.closed, undefined);
});
