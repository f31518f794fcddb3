/**
 * Runs the tiers of testing. `npm test`: check, then rings, whole clusters and the ledger, three suites at a time; `npm test -- rings`
 * (or `cluster`, `ledger`, `check`) one part; `npm run conformance | soak | interop` the others; a further word picks suites.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { counts, readLedger } from '../ledger/ledger.ts';
import { typed } from '../setup/usage.ts';
import { failuresOf, isNamed } from './failures.ts';
import { withFlake } from './flakes.ts';
import { FEW_WORKERS, inOrder, runPool, WORKERS } from './pool.ts';
import { freshProgram } from './program.ts';
import { breakOff, runSuite } from './run-suite.ts';
import type { Outcome } from './run-suite.ts';
import { readSuites } from './suites.ts';
import type { Suite, Tier } from './suites.ts';
import { RED_SECONDS, TARGET_SECONDS, tightened } from './times.ts';
import type { Times } from './times.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const timesPath = join(root, 'tools/test-times.json');
const flakesPath = join(root, 'docs/flakes.md');
const USUAL: Tier[] = ['rings', 'cluster', 'ledger'];
const PARTS = [...USUAL, 'check', 'conformance', 'soak', 'interop', 'browser'];
/** What one test may take at the most, in seconds; a soak takes as long as it was told to. */
const CLEARING_MS_MAX = 60_000;
const TEST_SECONDS_MAX = { soak: 3600, usual: 300 };

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** What runs is ended on the way out; whoever cannot wait asks a second time. */
function endWith(signal: NodeJS.Signals): void {
  process.on(signal, () => process.exit(1));
  say('test: broken off; what runs clears away what it made');
  void breakOff(CLEARING_MS_MAX).then(() => process.exit(1));
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, endWith);

function readTimes(): Times {
  return existsSync(timesPath) ? (JSON.parse(readFileSync(timesPath, 'utf8')) as Times) : {};
}

function tell(outcome: Outcome, times: Times): void {
  const { suite, seconds, tests } = outcome;
  const leaves = tests.filter((test) => test.suite !== true);
  const skipped = leaves.filter((test) => test.skip !== undefined).length;
  const kept = times[suite.name]?.seconds;
  const slow = kept !== undefined && seconds > kept ? ` SLOWER than the ${kept} s of tools/test-times.json` : '';
  const state = outcome.ok ? (outcome.flaky ? 'FLAKY' : 'ok') : 'FAILED';
  say(
    `test: ${suite.name} ${state}, ${seconds.toFixed(1)} s, ${leaves.length - skipped} tests${skipped > 0 ? `, ${skipped} skipped` : ''}${slow}`,
  );
  if (outcome.ok) return;
  for (const test of tests.filter(isNamed)) say(`  ✗ ${test.name}\n${test.text ?? ''}`);
  if (outcome.output !== '') say(`  what it wrote:\n${outcome.output}`);
}

function noteFlake(first: Outcome): void {
  const test = first.tests.find((t) => !t.ok && t.suite !== true)?.name ?? 'the file as a whole';
  const seen = new Date().toISOString().slice(0, 10);
  writeFileSync(flakesPath, withFlake(readFileSync(flakesPath, 'utf8'), { suite: first.suite.name, test, seen }));
  say(`FLAKY: ${first.suite.name}: ${test}: passed when run again; listed in docs/flakes.md`);
}

async function runOnce(suite: Suite, times: Times): Promise<Outcome> {
  const seconds = suite.tier === 'soak' ? TEST_SECONDS_MAX.soak : TEST_SECONDS_MAX.usual;
  const first = await runSuite(suite, root, { testSecondsMax: seconds });
  tell(first, times);
  if (first.ok || suite.lane !== 'containers') return first;
  say(`test: ${suite.name} runs again: containers depend on more than our code`);
  const second = { ...(await runSuite(suite, root, { testSecondsMax: seconds })), flaky: true };
  tell(second, times);
  if (second.ok) noteFlake(first);
  return second;
}

/** Tiers of which much starts `binnacle`. */
const STARTING = new Set<Tier>(['cluster', 'ledger', 'soak', 'interop', 'browser']);

/** Several at a time; who starts `binnacle` starts what is built of it now. */
function runAll(suites: readonly Suite[]): Promise<Outcome[]> {
  const times = readTimes();
  const program = suites.some(({ tier }) => STARTING.has(tier)) ? freshProgram(root) : undefined;
  if (program !== undefined) process.env['BINNACLE_PROGRAM'] = program;
  const workers = suites.every(({ tier }) => USUAL.includes(tier)) ? WORKERS : FEW_WORKERS;
  return runPool(inOrder(suites, times), (suite) => runOnce(suite, times), workers);
}

function runCheck(): Outcome {
  const began = Date.now();
  const done = spawnSync(process.execPath, [join(root, 'tools/check.mjs')], { cwd: root, stdio: 'inherit' });
  const suite: Suite = { name: 'check', tier: 'beside', lane: 'simulated', files: [] };
  const seconds = (Date.now() - began) / 1000;
  return { suite, ok: done.status === 0, seconds, tests: [], output: '', flaky: false };
}

function tellSkips(outcomes: readonly Outcome[]): void {
  const skips = outcomes.flatMap((o) => o.tests.filter((t) => t.skip !== undefined && t.suite !== true));
  if (skips.length === 0) return;
  say(`test: ${skips.length} skipped:`);
  for (const skip of skips) say(`  ${skip.name}: ${skip.skip === true ? 'no reason given' : skip.skip}`);
}

function keepTimes(outcomes: readonly Outcome[], whole: boolean): void {
  const times = readTimes();
  const measured = new Map(outcomes.map((o) => [o.suite.name, o.seconds]));
  const next = { ...(whole ? {} : times), ...tightened(times, measured) };
  writeFileSync(timesPath, `${JSON.stringify(next, null, 2)}\n`);
}

function finish(outcomes: readonly Outcome[], seconds: number, whole: boolean): void {
  tellSkips(outcomes);
  const failed = outcomes.filter((o) => !o.ok);
  const minutes = (seconds / 60).toFixed(1);
  say(`test: ${outcomes.length} suites, ${failed.length} failed, ${minutes} min`);
  for (const outcome of failed) say([`test: FAILED ${outcome.suite.name}`, ...failuresOf(outcome, root)].join('\n'));
  if (failed.length > 0) process.exitCode = 1;
  if (!whole) return;
  if (seconds > RED_SECONDS) {
    say(`test: FAILED: longer than ${RED_SECONDS / 60} minutes; the slowest suites stand above`);
    process.exitCode = 1;
  } else if (seconds > TARGET_SECONDS) say(`test: longer than the ${TARGET_SECONDS / 60} minutes aimed at`);
}

/** The files that show a behaviour of upstream's conformance suite. */
function shownFiles(): Set<string> {
  return new Set(readLedger(root).behaviours.flatMap((row) => (row.test === undefined ? [] : [row.test])));
}

interface Choice {
  readonly parts: readonly string[];
  readonly suites: readonly Suite[];
  /** Words that nothing is called by. */
  readonly unknown: readonly string[];
}

/** What words choose: some are parts, the others stand in the names of suites. */
function choose(words: readonly string[]): Choice {
  const parts = words.filter((word) => PARTS.includes(word));
  const names = words.filter((word) => !PARTS.includes(word));
  const wanted: readonly string[] = parts.length === 0 ? USUAL : parts;
  const shown = wanted.includes('conformance') ? shownFiles() : new Set<string>();
  const all = readSuites(root).filter((s) => wanted.includes(s.tier) || s.files.some((file) => shown.has(file)));
  return {
    parts,
    suites: all.filter((s) => names.length === 0 || names.some((name) => s.name.includes(name))),
    unknown: names.filter((name) => !all.some((s) => s.name.includes(name))),
  };
}

function refuse(words: readonly string[]): string | undefined {
  const { parts, unknown } = choose(words);
  if (unknown[0] === undefined) return undefined;
  const where = parts.length === 0 ? USUAL : parts;
  return `no suite of ${where.join(', ')} has ${JSON.stringify(unknown[0])} in its name (--list names them), and no part is called so`;
}

async function main(): Promise<void> {
  const { flags, words } = typed({
    text: `npm test [-- PART… NAME…]: check, then all suites of ${USUAL.join(', ')}; or those of PART, those with NAME in their names
npm run conformance | soak | interop | browser [-- NAME…]: those that are none of it, or take more than this machine
  PART          ${PARTS.join(', ')}
  --list        names the suites, and runs none
  --keep-times  writes tools/test-times.json: it only ever tightens`,
    flags: { list: 'boolean', 'keep-times': 'boolean' },
    refuse,
  });
  const { parts, suites } = choose(words);
  if (flags['list']) {
    for (const { name } of suites) say(name);
    return;
  }
  const began = Date.now();
  const outcomes: Outcome[] = [];
  if (parts.includes('check') || words.length === 0) outcomes.push(runCheck());
  if (outcomes.every((o) => o.ok)) outcomes.push(...(await runAll(suites)));
  if (parts.includes('conformance')) {
    const passed = outcomes.flatMap((o) => o.tests.filter((t) => t.ok && t.skip === undefined).map((t) => t.name));
    say(counts(readLedger(root), new Set(passed)));
  }
  if (flags['keep-times']) keepTimes(outcomes, words.length === 0);
  finish(outcomes, (Date.now() - began) / 1000, words.length === 0);
}

await main();
