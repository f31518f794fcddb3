import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, silentLogger, VirtualClock } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { Runtime } from '@binnacle/runtime';
import { loggedRuntime } from './logged-runtime.ts';
import type { StepsUnderWay } from './steps-under-way.ts';

/** A runtime with a private field: methods must be called on itself. */
class OneContainer {
  #started: string[] = [];
  async startContainer(id: string): Promise<void> {
    if (this.#started.includes(id)) throw new TypeError('it runs');
    this.#started.push(id);
  }
  async exec(id: string): Promise<number> {
    return this.#started.indexOf(id);
  }
}

function bench(verbosity: number): { runtime: Runtime; inner: Runtime; log: Logger; readonly text: () => string } {
  let text = '';
  const clock = new VirtualClock();
  const log = createLogger({ component: 'kubelet', verbosity, clock, write: (line) => (text += line) });
  const inner = new OneContainer() as unknown as Runtime;
  return { inner, log, runtime: loggedRuntime(inner, { log, clock, underWay: undefined }), text: () => text };
}

test('below 4, where that is for good, it is the runtime itself', () => {
  const { inner } = bench(3);
  const of = { log: silentLogger, clock: new VirtualClock(), underWay: undefined };
  assert.equal(loggedRuntime(inner, of), inner);
});

test('a level that changes counts from the next step on', async () => {
  const { runtime, text, log } = bench(3);
  await runtime.startContainer('c1');
  assert.equal(text(), '');
  if (log.level !== undefined) log.level.verbosity = 4;
  await runtime.startContainer('c2');
  assert.match(text(), /^[^\n]*"Runtime: startContainer" container="c2" milliseconds=0\n$/);
});

test('steps and failures from 4, questions from 8, and no arguments of commands', async () => {
  for (const [verbosity, lines] of [
    [4, 2],
    [8, 3],
  ] as const) {
    const { runtime, text } = bench(verbosity);
    await runtime.startContainer('c1');
    await assert.rejects(runtime.startContainer('c1'), { message: 'it runs' });
    await runtime.exec('c1', ['echo', 's3cret'], 1000);
    assert.equal(text().split('\n').length - 1, lines, text());
    assert.match(text(), /"Runtime: startContainer" container="c1" milliseconds=0/);
    assert.match(text(), /"Runtime: startContainer failed" container="c1" reason="it runs"/);
    assert.doesNotMatch(text(), /s3cret/);
  }
});

test('what changes something is known to be under way until it is answered, at any level', async () => {
  const { inner } = bench(0);
  const clock = new VirtualClock();
  const begun: unknown[] = [];
  let over = 0;
  const underWay = {
    begin: (step: unknown) => {
      begun.push(step);
      return () => over++;
    },
  } as unknown as StepsUnderWay;
  const stop = Promise.withResolvers<void>();
  Object.assign(inner, { stopContainer: () => stop.promise, pullImage: async () => 'x' });
  const runtime = loggedRuntime(inner, { log: silentLogger, clock, underWay });
  const stopped = runtime.stopContainer('c1', 7);
  await runtime.exec('c1', ['true'], 1_000);
  await runtime.pullImage('i');
  assert.deepEqual([begun, over], [[{ name: 'stopContainer', subject: { container: 'c1' }, mayTakeMs: 7_000 }], 0]);
  stop.reject(new TypeError('no'));
  await assert.rejects(stopped, { message: 'no' });
  assert.equal(over, 1);
});
