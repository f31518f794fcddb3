// `npm run check`: format, lint, types, tidy, generated files fresh, tests beside the code. Stops at the first that fails.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureNpmPackages, root } from './setup/setup.mjs';

const node = ensureNpmPackages();
const bin = (name) => join(root, 'node_modules/.bin', name);
const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` };

function besideTests() {
  const list = spawnSync(node, ['tools/tiers/list.ts', 'beside'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
  });
  return list.stdout.split('\n').filter((file) => file !== '');
}

const steps = [
  ['lock file', node, ['tools/setup/lock.ts', '--check']],
  ['format', bin('oxfmt'), ['--check', '.']],
  ['lint', bin('oxlint'), ['--type-aware']],
  ['types', bin('tsc'), ['--noEmit', '-p', 'tsconfig.json']],
  ['types of neutral code', bin('tsc'), ['--noEmit', '-p', 'tsconfig.neutral.json']],
  ['types of the page', bin('tsc'), ['--noEmit', '-p', 'apps/dashboard/tsconfig.json']],
  ['tidy', node, ['tools/tidy/main.ts']],
  ['ledger', node, ['tools/ledger/main.ts']],
  ['flakes and times', node, ['tools/tiers/held.ts']],
  ['generated', node, ['tools/gen/main.ts', '--check']],
  [
    'tests beside the code',
    node,
    () => ['--test', '--test-isolation=none', '--test-reporter=./tools/tiers/dots.ts', ...besideTests()],
  ],
];

for (const [name, command, args] of steps) {
  const began = Date.now();
  const done = spawnSync(command, typeof args === 'function' ? args() : args, { cwd: root, env, stdio: 'inherit' });
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  if (done.status !== 0) {
    process.stdout.write(`check: ${String(name)} FAILED after ${seconds} s\n`);
    process.exit(1);
  }
  process.stdout.write(`check: ${String(name)} ok, ${seconds} s\n`);
}
