// `npm run check`: format, lint, types, tidy, generated files fresh, tests beside the code. Stops after the row in which one failed.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { compiledFolder, ensureNpmPackages, root } from './setup/setup.mjs';

const asked = process.argv.slice(2);
if (asked.length > 0) {
  const isHelp = asked.every((word) => word === '--help' || word === '-h');
  const said =
    'npm run check: format, lint, types, tidy, generated files fresh, tests beside the code; it takes nothing';
  (isHelp ? process.stdout : process.stderr).write(`${said}\n`);
  process.exit(isHelp ? 0 : 2);
}

const node = ensureNpmPackages();
const bin = (name) => join(root, 'node_modules/.bin', name);
const env = {
  NODE_COMPILE_CACHE: compiledFolder,
  ...process.env,
  PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
};

const list = spawnSync(node, ['tools/tiers/list.ts', 'beside'], { cwd: root, env, encoding: 'utf8' });
if (list.status !== 0) throw new Error(`the tests beside the code are not known: ${list.stderr}`);
const beside = list.stdout.split('\n').filter((file) => file !== '');

/** A process runs tests on one processor, and all import much the same; in four parts they end together, wherever the long ones are. */
const PARTS = 4;
function testsOf(part) {
  const files = beside.filter((_, at) => at % PARTS === part);
  return ['--test', '--test-isolation=none', '--test-reporter=./tools/tiers/dots.ts', ...files];
}

/** So many steps of a row run at a time. */
const STEPS_MAX = 2;

/** Rows of what runs side by side, the longest first: a step is a name, a program and its arguments. */
const rows = [
  [
    ['lock file', node, ['tools/setup/lock.ts', '--check']],
    ['format', bin('oxfmt'), ['--check', '.']],
    ['flakes and times', node, ['tools/tiers/held.ts']],
    ['generated', node, ['tools/gen/main.ts', '--check']],
    ['ledger', node, ['tools/ledger/main.ts']],
  ],
  [
    ['lint', bin('oxlint'), ['--type-aware']],
    ['tidy', node, ['tools/tidy/main.ts']],
  ],
  [
    ['types', bin('tsc'), ['--noEmit', '-p', 'tsconfig.json']],
    ['types of neutral code', bin('tsc'), ['--noEmit', '-p', 'tsconfig.neutral.json']],
    ['types of the page', bin('tsc'), ['--noEmit', '-p', 'apps/dashboard/tsconfig.json']],
  ],
  Array.from({ length: PARTS }, (_, at) => [`tests beside the code, part ${at + 1} of ${PARTS}`, node, testsOf(at)]),
];

/** What it wrote is shown in one piece when it is over. */
function run([name, command, args]) {
  const began = Date.now();
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = [];
  child.stdout.on('data', (piece) => written.push(piece));
  child.stderr.on('data', (piece) => written.push(piece));
  return new Promise((resolve) => {
    const tell = (ok, reason = '') => {
      const seconds = ((Date.now() - began) / 1000).toFixed(1);
      process.stdout.write(Buffer.concat(written));
      process.stdout.write(`check: ${name} ${ok ? 'ok,' : `FAILED${reason} after`} ${seconds} s\n`);
      resolve(ok);
    };
    child.once('error', (error) => tell(false, `: ${error.message}`));
    child.once('close', (code) => tell(code === 0));
  });
}

/** Whether all of a row went well. */
async function runRow(row) {
  const waiting = [...row];
  const work = async () => {
    let ok = true;
    while (waiting.length > 0) ok = (await run(waiting.shift())) && ok;
    return ok;
  };
  return !(await Promise.all(Array.from({ length: STEPS_MAX }, work))).includes(false);
}

for (const row of rows) if (!(await runRow(row))) process.exit(1);
