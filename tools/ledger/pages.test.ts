import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const TESTS = globSync('{packages,apps,conformance,testkit,tools,examples}/**/*.test.ts', {
  cwd: root,
  exclude: ['**/node_modules/**'],
});

/** Rows leave out the folder of rooms and that of their sources. */
const short = (path: string): string => path.replace(/^(packages|apps)\//, '').replace(/(^|\/)src\//, '$1');
const ENDS = new Set(
  TESTS.flatMap((path) => {
    const parts = short(path).split('/');
    return parts.map((_, from) => parts.slice(from).join('/'));
  }),
);

/** The tests that a row names and that are not there. `*` stands for all of a folder. */
const lacking = (row: string): string[] =>
  [...row.matchAll(/[\w./*-]+\.test\.ts\b/g)].map(([path]) => path).filter((path) => !isThere(short(path)));

function isThere(name: string): boolean {
  if (!name.includes('*')) return ENDS.has(name);
  const [before = '', after = ''] = name.split('*');
  return [...ENDS].some((end) => end.startsWith(before) && end.endsWith(after));
}

test('every item of docs/cis-benchmark.md names tests that are there', () => {
  const rows = readFileSync(join(root, 'docs/cis-benchmark.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| \d/.test(line));
  assert.ok(rows.length >= 20);
  const wrong = rows.filter((row) => {
    const shown = row.split('|').at(-2) ?? '';
    const paths = [...shown.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    return paths.length === 0 || !paths.every((path) => TESTS.includes(path));
  });
  assert.deepEqual(wrong, []);
});

test('every row of docs/ledger.md names what shows it, and tests that are there', () => {
  const rows = readFileSync(join(root, 'docs/ledger.md'), 'utf8')
    .split(/\n(?=- \*\*)/)
    .slice(1);
  assert.ok(rows.length >= 800);
  assert.deepEqual(
    rows.filter((row) => !/_Tests?_/.test(row)),
    [],
  );
  assert.deepEqual(rows.flatMap(lacking), []);
  assert.deepEqual(lacking('_Test_: `nobody/wrote-this.test.ts`, `a/*.test.ts`').length, 2, 'it can fail');
});
