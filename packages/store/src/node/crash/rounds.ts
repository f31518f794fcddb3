import assert from 'node:assert/strict';
import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import type { Random } from '@binnacle/base';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import type { Found } from './writer.ts';

/** Counted from what the child prints first, so that the kill falls into the load. */
const LIFE_MS_MAX = 60;
/** One round in so many is killed while the child starts: while it reads, recovers and compacts. */
const EARLY_KILL_IN = 8;
const EARLY_MS_MAX = 200;

interface Story {
  /** Per writer the last number acknowledged to it. */
  readonly acknowledged: Map<number, number>;
  revision: number;
  total: number;
  checks: number;
}

const writerFile = new URL('writer.ts', import.meta.url).href;

function start(path: string, program: string): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { NODE_COMPILE_CACHE: `${path}.cache` },
  });
}

/** A child that ends by itself leaves its compiled code behind; the killed ones then start three times as fast. */
async function warmUp(path: string): Promise<void> {
  const child = start(path, `import { openAndClose } from '${writerFile}'; await openAndClose('${path}');`);
  await once(child, 'exit');
  assert.equal(child.exitCode, 0);
}

/** Starts the child, lets it find what the last kill left and write on, and kills it at a random moment. */
async function runAndKill(path: string, random: Random, story: Story): Promise<void> {
  const child = start(path, `import { writeUntilKilled } from '${writerFile}'; await writeUntilKilled('${path}');`);
  const killAfter = (ms: number): NodeJS.Timeout => setTimeout(() => child.kill('SIGKILL'), ms);
  const early = randomBelow(random, EARLY_KILL_IN) === 0;
  let timer = early ? killAfter(randomBelow(random, EARLY_MS_MAX)) : undefined;
  let rest = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    // The last line may be cut off by the kill; what is not whole was not told.
    rest = lines.pop() ?? '';
    for (const line of lines) note(line, story);
    timer ??= killAfter(randomBelow(random, LIFE_MS_MAX));
  });
  await Promise.all([once(child, 'exit'), once(child.stdout, 'end')]);
  clearTimeout(timer);
  assert.equal(child.signalCode, 'SIGKILL', `the writer ended by itself, exit code ${child.exitCode}`);
}

function note(line: string, story: Story): void {
  if (line.startsWith('{')) {
    check(JSON.parse(line) as Found, story);
    return;
  }
  const [writer, number, revision] = line.split(' ').map(Number);
  story.acknowledged.set(writer ?? 0, number ?? 0);
  story.revision = Math.max(story.revision, revision ?? 0);
  story.total++;
}

/** Holds what the kill left behind against what was told. */
function check(found: Found, story: Story): void {
  assert.ok(found.revision >= story.revision, `revision ${found.revision}, ${story.revision} was told`);
  story.revision = found.revision;
  story.checks++;
  for (const [writer, told] of story.acknowledged) {
    const left = found.left[writer];
    assert.equal(left, found.right[writer], `writer ${writer}: half a transaction`);
    assert.ok(left !== undefined && left >= told, `writer ${writer}: ${told} was told, ${left} is there`);
    const odd = left % 2 === 0 ? left : undefined;
    assert.equal(found.odd[writer] ?? undefined, odd, `writer ${writer}: a delete or its undoing is lost`);
  }
}

/** Kills a writing child so often, and holds what each kill left behind against what was told. Prints its seed. */
export async function crashRounds(t: TestContext, rounds: number, seed: number): Promise<void> {
  t.diagnostic(`seed ${seed}`);
  const random = createSeededRandom(seed);
  const directory = await mkdtemp(join(tmpdir(), 'store-crash-'));
  t.after(() => rm(directory, { recursive: true }));
  const story: Story = { acknowledged: new Map(), revision: 0, total: 0, checks: 0 };
  const path = join(directory, 'store.db');
  await warmUp(path);
  // Rounds go on until so many kills were looked at by a child that came after.
  let kills = 0;
  for (; story.checks <= rounds; kills++) await runAndKill(path, random, story);
  t.diagnostic(`${kills} kills, ${story.total} acknowledged transactions, last revision ${story.revision}`);
  assert.ok(story.total > rounds * 10, `only ${story.total} transactions were acknowledged`);
}
