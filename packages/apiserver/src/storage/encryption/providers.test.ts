import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSeededRandom } from '@binnacle/base';
import { TransformError } from './errors.ts';
import { IDENTITY, sealOf, startsWith } from './providers.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('whether a value was sealed so', () => {
  const prefix = 'k8s:enc:aescbc:v1:key1:';
  const rows: readonly (readonly [name: string, value: string, prefix: string, begins: boolean])[] = [
    ['by this key', `${prefix}data`, prefix, true],
    ['nothing behind', prefix, prefix, true],
    ['by another key', 'k8s:enc:aescbc:v1:key2:data', prefix, false],
    ['by a key whose name begins so', 'k8s:enc:aescbc:v1:key11:data', prefix, false],
    ['by another cipher', 'k8s:enc:aesgcm:v1:key1:data', prefix, false],
    ['too short', 'k8s:enc:', prefix, false],
    ['an empty value', '', prefix, false],
    ['in the clear', '{"kind":"Secret"}', prefix, false],
    ['no prefix fits all', 'anything', '', true],
    ['no prefix fits nothing at all', '', '', true],
    ['a prefix that does not end in a colon', 'abc', 'ab', false],
  ];
  for (const [name, value, begin, begins] of rows) {
    test(name, () => assert.equal(startsWith(bytes(value), bytes(begin)), begins));
  }
});

test('values in the clear are let through, sealed ones are not read', () => {
  assert.deepEqual(IDENTITY.open(bytes('{}'), 'k'), bytes('{}'));
  assert.throws(() => IDENTITY.open(bytes('k8s:enc:secretbox:v1:a:x'), 'k'), TransformError);
});

for (const [cipher, size] of [
  ['aesgcm', 12],
  ['aescbc', 16],
  ['secretbox', 24],
] as const) {
  test(`${cipher}: what is too short or another's does not open`, async () => {
    const random = createSeededRandom(1);
    const seal = sealOf(cipher, { name: 'a', secret: random.bytes(32) }, random);
    const other = sealOf(cipher, { name: 'a', secret: random.bytes(32) }, random);
    const sealed = seal.seal(bytes('value'), '/k').subarray(seal.prefix.length);
    assert.deepEqual(Buffer.from(await seal.open(sealed, '/k')).toString(), 'value');
    assert.throws(() => seal.open(sealed.subarray(0, size - 1), '/k'), /shorter than the required size/);
    if (cipher !== 'aescbc') assert.throws(() => other.open(sealed, '/k'), /does not open with key a/);
  });
}
