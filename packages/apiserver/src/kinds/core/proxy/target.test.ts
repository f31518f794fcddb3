import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError } from '@binnacle/machinery';
import { portNumber, readTarget } from './target.ts';

for (const [text, scheme, name, port] of [
  ['web', 'http', 'web', ''],
  ['web:', 'http', 'web', ''],
  ['web:80', 'http', 'web', '80'],
  ['web:http', 'http', 'web', 'http'],
  ['https:web:443', 'https', 'web', '443'],
  ['https:web:', 'https', 'web', ''],
  [':web:80', 'http', 'web', '80'],
] as const) {
  test(`target ${text}`, () => assert.deepEqual(readTarget('pod', text), { scheme, name, port }));
}

for (const text of ['', ':80', 'ftp:web:21', 'http::80', 'a:b:c:d', 'HTTPS:web:1']) {
  test(`no target: ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => readTarget('service', text),
      (error) =>
        error instanceof StatusError &&
        error.httpCode === 400 &&
        error.message === `invalid service request ${JSON.stringify(text)}`,
    );
  });
}

for (const [port, scheme, expected] of [
  ['', 'http', 80],
  ['', 'https', 443],
  ['65535', 'http', 65_535],
  ['0', 'http', 'address 0: invalid port'],
  ['65536', 'http', 'address 65536: invalid port'],
  ['80@evil', 'http', 'lookup tcp/80@evil: unknown port'],
  ['http', 'http', 'lookup tcp/http: unknown port'],
] as const) {
  test(`port ${JSON.stringify(port)} of ${scheme}`, () => {
    if (typeof expected === 'number') assert.equal(portNumber('h', port, scheme), expected);
    else assert.throws(() => portNumber('h', port, scheme), { message: new RegExp(expected), httpCode: 503 });
  });
}
