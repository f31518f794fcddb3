/** Runs one suite in a process of its own and tells what came of it. */
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestLine } from './reporter.ts';
import type { Suite } from './suites.ts';

/** What a suite's run came to. */
export interface Outcome {
  suite: Suite;
  ok: boolean;
  seconds: number;
  tests: TestLine[];
  /** What its tests and their children wrote, kept for a failure; the last part of it where it is long. */
  output: string;
  /** It failed, and passed when it was run again. */
  flaky: boolean;
}

const OUTPUT_LINES_MAX = 400;
/** Processes that are none of our children tell nobody of their end. */
const LOOK_MS = 50;
/** Beyond the longest that one test may take. */
const SILENCE_SECONDS_MORE = 60;

export interface Deadlines {
  /** Of one test, in seconds. */
  readonly testSecondsMax: number;
  /** How long the suite may tell nothing; a minute more than its longest test, unless said. */
  readonly silenceMs?: number;
}

/** Groups of processes of the suites that run now. */
const running = new Set<number>();
let isBrokenOff = false;
// Whatever ends the runner.
process.once('exit', () => {
  for (const group of running) signalGroup(group, 'SIGINT');
});

/** Whether anybody is left in a group; 0 only asks. */
function signalGroup(group: number, signal: 'SIGINT' | 'SIGKILL' | 0): boolean {
  try {
    // The group 0 would be our own.
    return group > 0 && process.kill(-group, signal);
  } catch {
    // Nobody of it is left.
    return false;
  }
}

/**
 * Breaks off the suites that run, as Ctrl-C would, so that they clear away what they made: none of them tells how it ended, and
 * none begins. Resolves once nobody of them is left; who takes longer than `msMax` is killed.
 */
export async function breakOff(msMax: number): Promise<void> {
  isBrokenOff = true;
  const groups = [...running];
  for (const group of groups) signalGroup(group, 'SIGINT');
  const deadline = Date.now() + msMax;
  while (groups.some((group) => signalGroup(group, 0)) && Date.now() < deadline) await setTimeout(LOOK_MS);
  for (const group of groups) signalGroup(group, 'SIGKILL');
}

/**
 * Runs the files of a suite; those of the ledger in one process, so that they share a cluster. Tests have their deadline;
 * a process that has told them all and does not end, for a timer or a socket that is left, is ended `silenceMs` later.
 */
export async function runSuite(
  suite: Suite,
  root: string,
  { testSecondsMax, silenceMs = (testSecondsMax + SILENCE_SECONDS_MORE) * 1000 }: Deadlines,
): Promise<Outcome> {
  if (isBrokenOff) return new Promise(() => undefined);
  const began = Date.now();
  // A runner inside a test (of this file) would take itself for a child of that one and report nothing.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const [program, ...before] = suite.tier === 'browser' ? inOwnNetwork() : [];
  const child = spawn(
    program ?? process.execPath,
    [
      ...(program === undefined ? [] : [...before, process.execPath]),
      '--test',
      '--test-concurrency=1',
      ...(suite.tier === 'ledger' ? ['--test-isolation=none'] : []),
      `--test-timeout=${testSecondsMax * 1000}`,
      `--test-reporter=${fileURLToPath(new URL('reporter.ts', import.meta.url))}`,
      ...suite.files,
    ],
    // A group of its own, so that it can be ended with all that it started.
    { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  const group = child.pid ?? 0;
  running.add(group);
  const tests: TestLine[] = [];
  const output: string[] = [];
  const keep = (text: string): void => {
    output.push(text);
    if (output.length > OUTPUT_LINES_MAX) output.shift();
  };
  const alarm = globalThis.setTimeout(() => {
    keep(
      `nothing was told for ${silenceMs / 1000} s: ended by the runner; something keeps a process of this suite alive`,
    );
    signalGroup(group, 'SIGKILL');
    // What has left the group may still hold these.
    child.stdout.destroy();
    child.stderr.destroy();
  }, silenceMs);
  createInterface(child.stdout).on('line', (text) => {
    alarm.refresh();
    const line = parse(text);
    if (line?.kind === 'test') tests.push(line);
    else keep(line?.text?.trimEnd() ?? text);
  });
  createInterface(child.stderr).on('line', keep);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  clearTimeout(alarm);
  if (isBrokenOff) return new Promise(() => undefined);
  running.delete(group);
  const isEmpty = tests.every((test) => test.suite === true);
  if (isEmpty) keep('no test was told');
  const ok = status === 0 && !isEmpty && tests.every((test) => test.ok);
  return { suite, ok, seconds: (Date.now() - began) / 1000, tests, output: output.join('\n'), flaky: false };
}

/**
 * What starts a program in a network of its own, where this machine lets us make one: browsers drop what waits for a
 * connection whenever an address of their machine comes or goes, as with every container of somebody else.
 */
function inOwnNetwork(): readonly string[] {
  const start = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'own-network'];
  return spawnSync('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'up']).status === 0 ? start : [];
}

function parse(text: string): TestLine | undefined {
  if (!text.startsWith('{"kind":')) return undefined;
  try {
    return JSON.parse(text) as TestLine;
  } catch {
    // A program under test wrote something that begins alike: it is output.
    return undefined;
  }
}
