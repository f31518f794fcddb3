import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('every item of docs/cis-benchmark.md names a test that is there', () => {
  const rows = readFileSync(join(root, 'docs/cis-benchmark.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| \d/.test(line));
  assert.ok(rows.length >= 20);
  const wrong = rows.filter((row) => {
    const path = /`([^`]+\.test\.ts)` *\|$/.exec(row)?.[1];
    return path === undefined || !existsSync(join(root, path));
  });
  assert.deepEqual(wrong, []);
});
