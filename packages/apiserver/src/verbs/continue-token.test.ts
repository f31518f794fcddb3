import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StatusError } from '@binnacle/machinery';
import { decodeToken, encodeToken } from './continue-token.ts';
import type { ContinueToken } from './continue-token.ts';

const V = 'meta.k8s.io/v1';

function coded(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

describe('where a list goes on', () => {
  const rows: readonly (readonly [name: string, text: string, token: ContinueToken])[] = [
    ['after a key', coded({ v: V, rv: 7, start: 'a/b\0' }), { revision: 7, after: 'a/b' }],
    ['at what is there now', coded({ v: V, rv: -1, start: 'a\0' }), { revision: -1, after: 'a' }],
    ['a key without its end', coded({ v: V, rv: 7, start: 'a' }), { revision: 7, after: 'a' }],
    ['more than is known', coded({ v: V, rv: 7, start: 'a\0', x: 1 }), { revision: 7, after: 'a' }],
    [
      'a key called like a member of every object',
      coded({ v: V, rv: 1, start: '__proto__\0' }),
      { revision: 1, after: '__proto__' },
    ],
  ];
  for (const [name, text, token] of rows) test(name, () => assert.deepEqual(decodeToken(text), token));

  test('is read back', () => {
    for (const after of ['a/b', 'ü/~?>', 'x'.repeat(500)]) {
      assert.deepEqual(decodeToken(encodeToken({ revision: 3, after })), { revision: 3, after });
      assert.match(encodeToken({ revision: 3, after }), /^[\w-]+$/);
    }
  });
});

describe('what is no token of a list', () => {
  const revision = `incorrect encoded start resourceVersion (version ${V})`;
  const empty = `encoded start key empty (version ${V})`;
  const rows: readonly (readonly [name: string, text: string, why: string | RegExp])[] = [
    ['a sign that is none of its letters', 'ab%c', 'illegal base64 data at input byte 2'],
    ['a letter too many', 'abcde', 'illegal base64 data at input byte 4'],
    ['an end that it does not have', 'YQ==', 'illegal base64 data at input byte 2'],
    ['no document', coded('{'), /unexpected end of JSON input/],
    ['no object', coded('7'), 'server does not recognize this encoded version ""'],
    ['nothing', coded('null'), 'server does not recognize this encoded version ""'],
    ['another version', coded({ v: 'v9', rv: 1, start: 'a' }), 'server does not recognize this encoded version "v9"'],
    ['no revision', coded({ v: V, start: 'a' }), revision],
    ['revision zero', coded({ v: V, rv: 0, start: 'a' }), revision],
    ['half a revision', coded({ v: V, rv: 1.5, start: 'a' }), revision],
    ['a revision in text', coded({ v: V, rv: '1', start: 'a' }), revision],
    ['no key', coded({ v: V, rv: 1 }), empty],
    ['an empty key', coded({ v: V, rv: 1, start: '' }), empty],
    ['a key that leads elsewhere', coded({ v: V, rv: 1, start: '../secrets/x\0' }), '../secrets/x\0'],
    ['a key that stays where it is', coded({ v: V, rv: 1, start: 'a/./b' }), 'a/./b'],
    ['a key with an empty part', coded({ v: V, rv: 1, start: 'a//b' }), 'a//b'],
    ['a key that ends in a slash', coded({ v: V, rv: 1, start: 'a/' }), 'a/'],
    ['deep nesting', coded('['.repeat(100_000)), /./],
  ];
  for (const [name, text, why] of rows) {
    test(name, () => {
      assert.throws(
        () => decodeToken(text),
        (error) => {
          assert(error instanceof StatusError, String(error));
          assert.equal(error.status.code, 400);
          const said = error.message.replace('invalid continue token: continue key is not valid: ', '');
          if (typeof why === 'string') assert.equal(said, why);
          else assert.match(said, why);
          return true;
        },
      );
    });
  }
});
