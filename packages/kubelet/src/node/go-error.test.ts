import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goError } from './go-error.ts';

const failed = (code?: string): Error & { readonly code?: string } =>
  Object.assign(new Error('in Node’s words'), code === undefined ? {} : { code });

for (const [code, hostname, port, expected] of [
  ['ECONNREFUSED', '10.0.0.1', 80, 'dial tcp 10.0.0.1:80: connect: connection refused'],
  ['EHOSTUNREACH', '10.0.0.1', '80', 'dial tcp 10.0.0.1:80: connect: no route to host'],
  ['ENETUNREACH', 'h.example', 80, 'dial tcp h.example:80: connect: network is unreachable'],
  ['ETIMEDOUT', 'fd00::1', 80, 'dial tcp [fd00::1]:80: connect: connection timed out'],
  ['ECONNREFUSED', '[fd00::1]', 80, 'dial tcp [fd00::1]:80: connect: connection refused'],
  ['ECONNRESET', 'fd00::1', 80, 'read tcp [fd00::1]:80: read: connection reset by peer'],
  ['EPROTO', '10.0.0.1', 80, 'in Node’s words'],
  ['constructor', '10.0.0.1', 80, 'in Node’s words'],
  [undefined, '10.0.0.1', 80, 'in Node’s words'],
] as const)
  test(`as Go says it: ${code} of ${hostname}`, () =>
    assert.equal(goError(failed(code), { hostname, port }), expected));
