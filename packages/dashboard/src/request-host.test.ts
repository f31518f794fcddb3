import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { HEAD_BYTES_MAX, readHost } from './request-host.ts';

const NONE = { type: 'none' };
const ROWS: readonly (readonly [name: string, head: string, found: object])[] = [
  ['nothing yet', '', { type: 'more' }],
  ['half a head', 'GET / HTTP/1.1\r\nHost: a:1\r\n', { type: 'more' }],
  [
    'a request',
    'GET /x HTTP/1.1\r\nAccept: */*\r\nHOST:  A.localhost:1 \r\n\r\nbody',
    { type: 'host', host: 'a.localhost:1' },
  ],
  ['no host', 'GET / HTTP/1.0\r\nAccept: */*\r\n\r\n', NONE],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: a:1\r\nHost: b:1\r\n\r\n', NONE],
  ['a host in the body', 'POST / HTTP/1.1\r\nAccept: */*\r\n\r\nHost: a:1\r\n\r\n', NONE],
  ['a folded line', 'GET / HTTP/1.1\r\nHost: b:1\r\nX: 1\r\n Host: a:1\r\n\r\n', NONE],
  ['a bare line feed', 'GET / HTTP/1.1\r\nX: 1\nHost: a:1\r\n\r\n', NONE],
  ['another protocol', 'SSH-2.0-x\r\nHost: a:1\r\n\r\n', NONE],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', NONE],
  ['no end in sight', `GET / HTTP/1.1\r\nX: ${'x'.repeat(HEAD_BYTES_MAX)}`, NONE],
];

for (const [name, head, found] of ROWS) {
  test(`the host that is asked: ${name}`, () => {
    deepEqual(readHost(new TextEncoder().encode(head)), found);
  });
}
