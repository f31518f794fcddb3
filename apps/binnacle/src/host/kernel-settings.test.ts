import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { makeTestFolder } from '@binnacle/base/testing';
import { raiseSettings } from './kernel-settings.ts';

test('what is lower is raised, what is higher or not there is left', async (t) => {
  const root = makeTestFolder().path;
  t.after(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, 'low'), '60\n');
  writeFileSync(join(root, 'high'), '432000\n');
  const told: string[] = [];
  const log = { ...silentLogger, warn: (_message: string, facts?: object) => void told.push(JSON.stringify(facts)) };
  const settings = ['low', 'absent', 'high'].map((file) => ({ file, value: 3600 }));
  await raiseSettings(settings, log, root);
  assert.equal(readFileSync(join(root, 'low'), 'utf8'), '3600');
  assert.equal(readFileSync(join(root, 'high'), 'utf8'), '432000\n');
  assert.equal(told.length, 1);
  assert.match(told[0] ?? '', /"file":"absent"/);
});
