/** What two servers could read differently, or what is beyond the bounds: no backend hears of it. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { DoorsBench, textOf } from './testing/doors-bench.ts';

const bench = new DoorsBench();
before(() => bench.open());
afterEach(() => bench.clear());
after(() => bench.close());

const SMUGGLED: readonly (readonly [name: string, text: string])[] = [
  ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello'],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['a coding that is none', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
  ['another coding before', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
  ['a space before the colon', 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\nhello'],
  ['a folded line', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['no host', 'GET / HTTP/1.1\r\n\r\n'],
  [
    'a chunk with a length that is none',
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n',
  ],
  ['lines ended by a return alone', 'GET / HTTP/1.1\rHost: x\r\r'],
];

for (const [name, text] of SMUGGLED) {
  test(`a request that two servers read differently reaches no backend: ${name}`, async () => {
    const seen: string[] = [];
    bench.leadTo(
      await bench.backend(async (request, response) => {
        seen.push(`${request.method} ${request.url} ${await textOf(request).catch(() => 'cut')}`);
        response.end('reached');
      }),
    );
    const socket = connect(bench.http, '127.0.0.1');
    socket.end(`${text}GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`);
    const reply = await textOf(socket).catch(() => '');
    assert.doesNotMatch(reply, /^HTTP\/1.1 2/);
    // A head alone may have gone on before its body turned out to be broken; never a whole request.
    assert.deepEqual(
      seen.filter((one) => !one.endsWith(' cut')),
      [],
    );
  });
}

test('a head beyond the bound', async () => {
  bench.leadTo(await bench.backend((_request, response) => response.end('reached')));
  assert.match(await bench.say(`GET / HTTP/1.1\r\nHost: x\r\nA: ${'b'.repeat(70_000)}\r\n\r\n`), /^HTTP\/1.1 431 /);
});
