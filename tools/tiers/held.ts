/** Part of check: at most one open flake, and no suite's time loosened without a reason since the last commit of the file. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { typed } from '../setup/usage.ts';
import { OPEN_FLAKES_MAX, openFlakes } from './flakes.ts';
import { loosenedWithoutReason } from './times.ts';
import type { Times } from './times.ts';

typed({
  text: 'node tools/tiers/held.ts: refuses too many open flakes, and times of suites that were loosened without a reason',
});
const root = fileURLToPath(new URL('../..', import.meta.url));
const FILE = 'tools/test-times.json';

function git(...args: string[]): string {
  const done = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return done.status === 0 ? done.stdout.trim() : '';
}

/** The commits to compare with: where the file differs from the last commit that one, else the one before it. */
function before(): Times {
  const [last, previous] = git('log', '-2', '--format=%H', '--', FILE).split('\n');
  const changed = git('status', '--porcelain', '--', FILE) !== '';
  const commit = changed ? last : previous;
  // A fresh file, or a clone without history: there is nothing to compare with.
  const text = commit === undefined || commit === '' ? '' : git('show', `${commit}:${FILE}`);
  return text === '' ? {} : (JSON.parse(text) as Times);
}

const open = openFlakes(readFileSync(`${root}/docs/flakes.md`, 'utf8'));
const findings = loosenedWithoutReason(before(), JSON.parse(readFileSync(`${root}/${FILE}`, 'utf8')) as Times);
if (open.length > OPEN_FLAKES_MAX) {
  findings.push(`docs/flakes.md has ${open.length} open entries: mend ${open.map((f) => f.suite).join(', ')} first`);
}
for (const finding of findings) process.stdout.write(`${finding}\n`);
process.exitCode = findings.length > 0 ? 1 : 0;
