import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { ensureTokenKeys, readTokenKeys } from './token-keys.ts';

let dir = '';

before(async () => {
  dir = makeTestFolder().path;
});
after(() => rm(dir, { recursive: true }));

test('the token key is kept and verifies what it signed, nothing else', async () => {
  const path = join(dir, 'pki', 'sa.key');
  const keys = await ensureTokenKeys(path);
  const again = await ensureTokenKeys(path);
  const data = new TextEncoder().encode('header.payload');
  const signature = keys.sign(data);
  assert.equal(signature.length, 64);
  assert.equal(again.keyId, keys.keyId);
  assert.equal(again.verify(data, signature, keys.keyId), true);
  assert.equal(again.verify(new TextEncoder().encode('header.other'), signature, keys.keyId), false);
  assert.equal(again.verify(data, signature, 'another'), false);
  assert.match(await readFile(path, 'utf8'), /BEGIN PRIVATE KEY/);
});

function pem(type: 'rsa' | 'ec', curve = 'P-256'): { readonly secret: string; readonly open: string } {
  const { privateKey, publicKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: curve });
  return {
    secret: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    open: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

test('servers with keys of their own believe each other when they are told the other key', async () => {
  const data = new TextEncoder().encode('header.payload');
  const [rsa, ec] = [pem('rsa'), pem('ec', 'P-384')];
  const path = join(dir, 'other', 'sa.key');
  const one = await readTokenKeys(path, { signing: named(rsa.secret), verifying: [] });
  const two = await readTokenKeys(path, {
    signing: named(ec.secret),
    verifying: [named(`${rsa.open}${ec.open}`), named(rsa.secret)],
  });
  assert.deepEqual([one.algorithm, two.algorithm, two.algorithms], ['RS256', 'ES384', ['ES384', 'RS256']]);
  assert.equal(two.verify(data, one.sign(data), one.keyId), true);
  assert.equal(one.verify(data, two.sign(data), two.keyId), false);
  assert.equal(two.verify(data, one.sign(data), two.keyId), false);
  assert.deepEqual(
    two.publicKeys.map(({ kid, alg }) => [kid, alg]),
    [
      [two.keyId, 'ES384'],
      [one.keyId, 'RS256'],
    ],
  );
});

test('what is no key, or no key for tokens, is said', async () => {
  const path = join(dir, 'third', 'sa.key');
  await assert.rejects(
    readTokenKeys(path, { signing: named('x'), verifying: [] }),
    /^TokenKeyError: k\.pem is not a private key in PEM form$/,
  );
  await assert.rejects(
    readTokenKeys(path, { verifying: [named('-----BEGIN CERTIFICATE-----')] }),
    /k\.pem holds no key in PEM form/,
  );
  const { publicKey } = generateKeyPairSync('ed25519');
  const text = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  await assert.rejects(readTokenKeys(path, { verifying: [named(text)] }), /k\.pem: only RSA and EC keys sign tokens/);
});

test('a kept key that is damaged is named', async () => {
  const path = join(dir, 'damaged.key');
  await writeFile(path, 'garbage');
  await assert.rejects(ensureTokenKeys(path), /damaged\.key is not a private key in PEM form$/);
});

function named(text: string): { readonly name: string; readonly text: string } {
  return { name: 'k.pem', text };
}
