import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { test } from 'node:test';
import { createSeededRandom } from '@binnacle/base';
import type { Restored } from '../../ports/transformer.ts';
import { readEncryptionConfig } from './config.ts';
import { Encryption } from './encryption.ts';

const HEAD = { kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1' };
const SECRET = '0123456789abcdef0123456789abcdef';
const keys = (...names: readonly string[]): object => ({ keys: names.map((name) => ({ name, secret: btoa(SECRET) })) });
const PLACE = '/registry/secrets/default/a';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function encryption(...providers: readonly object[]): Encryption {
  const config = { ...HEAD, resources: [{ resources: ['secrets', '*.apps'], providers }] };
  return new Encryption(readEncryptionConfig(config, { random: createSeededRandom(1) }));
}

/** At once: only key services have to be waited for. */
function restored(under: Encryption, value: Uint8Array): Restored {
  const found = under.fromStorage(value, PLACE, 'secrets');
  assert.ok(!(found instanceof Promise));
  return found;
}

for (const cipher of ['aesgcm', 'aescbc', 'secretbox']) {
  test(`${cipher}: sealed with a fresh nonce each time, opened, and refused when changed`, () => {
    const under = encryption({ [cipher]: keys('a') });
    const [one, two] = [1, 2].map(() => under.toStorage(bytes('a value'), PLACE, 'secrets'));
    assert.ok(one !== undefined && two !== undefined);
    assert.notDeepEqual(one, two);
    assert.deepEqual(under.fromStorage(one, PLACE, 'secrets'), { value: bytes('a value'), stale: false });
    assert.deepEqual(restored(under, under.toStorage(bytes(''), PLACE, 'secrets')).value, bytes(''));
    const damaged = Uint8Array.from(one);
    damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
    if (cipher !== 'aescbc') assert.throws(() => under.fromStorage(damaged, PLACE, 'secrets'), /no matching prefix/);
    assert.throws(() => under.fromStorage(one.subarray(0, 30), PLACE, 'secrets'), /no matching prefix/);
  });
}

test('what AES-GCM sealed is good under its own key of the store only, and in the form that upstream writes', () => {
  const under = encryption({ aesgcm: keys('a') });
  const nonce = Buffer.alloc(12, 7);
  const cipher = createCipheriv('aes-256-gcm', SECRET, nonce).setAAD(Buffer.from(PLACE));
  const body = Buffer.concat([cipher.update('a value'), cipher.final(), cipher.getAuthTag()]);
  const upstream = Buffer.concat([Buffer.from('k8s:enc:aesgcm:v1:a:'), nonce, body]);
  assert.deepEqual(restored(under, upstream).value, bytes('a value'));
  assert.throws(() => under.fromStorage(upstream, '/registry/secrets/default/b', 'secrets'), /no matching prefix/);
});

test('rotation: the new key writes, the old one reads, and says that it is old', () => {
  const old = encryption({ aesgcm: keys('old') }).toStorage(bytes('v'), PLACE, 'secrets');
  const under = encryption({ secretbox: keys('new') }, { aesgcm: keys('old') }, { identity: {} });
  assert.deepEqual(under.fromStorage(old, PLACE, 'secrets'), { value: bytes('v'), stale: true });
  assert.deepEqual(restored(under, bytes('{"kind":"Secret"}')).stale, true);
  assert.throws(() => encryption({ identity: {} }).fromStorage(old, PLACE, 'secrets'), /no matching prefix found/);
});

test('which resources', () => {
  const under = encryption({ identity: {} });
  for (const [resource, covered] of [
    ['secrets', true],
    ['deployments.apps', true],
    ['configmaps', false],
    ['apps', false],
    ['constructor', false],
  ] as const)
    assert.equal(under.covers(resource), covered, resource);
});
