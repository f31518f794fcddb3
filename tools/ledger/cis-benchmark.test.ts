import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('every item of docs/cis-benchmark.md names tests that are there', () => {
  const rows = readFileSync(join(root, 'docs/cis-benchmark.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| \d/.test(line));
  assert.ok(rows.length >= 20);
  const wrong = rows.filter((row) => {
    const shown = row.split('|').at(-2) ?? '';
    const paths = [...shown.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    return paths.length === 0 || !paths.every((path) => path.endsWith('.test.ts') && existsSync(join(root, path)));
  });
  assert.deepEqual(wrong, []);
});
