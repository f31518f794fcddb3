import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freshProgram } from './program.ts';

/** Builds a launcher that says how many were built so far. */
const BUILD = `import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
appendFileSync('count', 'x');
mkdirSync(process.argv[3] + '/bin', { recursive: true });
writeFileSync(process.argv[3] + '/bin/binnacle.mjs', String(readFileSync('count', 'utf8').length));
`;

test('a program is built where there is none, or where something that it is made of is younger', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'program-'));
  t.after(() => rmSync(root, { recursive: true }));
  for (const path of ['packages/a', 'apps/binnacle', 'tools/release']) mkdirSync(join(root, path), { recursive: true });
  const [source, build] = ['packages/a/a.ts', 'tools/release/build.ts'].map((path) => join(root, path)) as [
    string,
    string,
  ];
  writeFileSync(source, '');
  writeFileSync(join(root, 'package-lock.json'), '');
  writeFileSync(build, BUILD);
  const past = Date.now() / 1000 - 60;
  const age = (path = root): void => {
    for (const entry of readdirSync(path, { withFileTypes: true }))
      if (entry.isDirectory()) age(join(path, entry.name));
    for (const name of readdirSync(path)) utimesSync(join(path, name), past, past);
  };
  age();
  const launcher = freshProgram(root);
  assert.equal(launcher, join(root, '.cache/program/built/bin/binnacle.mjs'));
  const built = (): string => readFileSync(launcher, 'utf8');
  assert.equal(built(), '1');
  freshProgram(root);
  assert.equal(built(), '1');
  utimesSync(source, past + 120, past + 120);
  freshProgram(root);
  assert.equal(built(), '2');
  freshProgram(root);
  assert.equal(built(), '3', 'what was changed while it was built is not in it');
  assert.deepEqual(readdirSync(join(root, '.cache/program')), ['built']);
  writeFileSync(build, 'process.exit(1);\n');
  assert.equal(freshProgram(root), undefined);
  assert.ok(existsSync(launcher));
});
