import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ensureTokenKeys } from './token-keys.ts';

let dir = '';

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'binnacle-token-keys-'));
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
