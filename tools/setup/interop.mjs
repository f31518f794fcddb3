// Builds the programs of other languages that `npm run interop` runs, into .cache/interop. Plain JavaScript like setup.mjs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const SOURCES = join(root, 'conformance/interop');
const MADE = join(root, '.cache/interop');

/** What is built in `conformance/interop/go`, by the name of the program. */
const GO_PROGRAMS = [
  { name: 'kubectl', how: ['build'], of: './kubectl' },
  { name: 'helm', how: ['build'], of: 'helm.sh/helm/v3/cmd/helm' },
  { name: 'clients.test', how: ['test', '-c'], of: './clients' },
];

function say(text) {
  process.stdout.write(`interop: ${text}\n`);
}

function run(command, args, cwd) {
  const done = spawnSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  return done.error === undefined && done.status === 0;
}

function isThere(command) {
  return spawnSync(command, ['version'], { stdio: 'ignore' }).error === undefined;
}

function buildGo() {
  if (!isThere('go')) {
    say('no Go toolchain here: the programs in Go are skipped');
    return;
  }
  for (const { name, how, of } of GO_PROGRAMS) {
    say(`building ${name} (minutes the first time, a second later)`);
    if (!run('go', [...how, '-o', join(MADE, 'bin', name), of], join(SOURCES, 'go'))) say(`${name} was not built`);
  }
}

function preparePython() {
  const wanted = readFileSync(join(SOURCES, 'python/requirements.txt'), 'utf8');
  const folder = join(MADE, 'python');
  const marker = join(folder, 'requirements.txt');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return;
  say('installing the Python client');
  const made =
    run('python3', ['-m', 'venv', folder], root) &&
    run(join(folder, 'bin/pip'), ['install', '-q', '-r', join(SOURCES, 'python/requirements.txt')], root);
  if (made) writeFileSync(marker, wanted);
  else say('the Python client was not installed');
}

/** Makes whatever can be made here; what cannot is said, and its tests are skipped by name. */
export function ensureInteropPrograms() {
  mkdirSync(join(MADE, 'bin'), { recursive: true });
  buildGo();
  preparePython();
}
