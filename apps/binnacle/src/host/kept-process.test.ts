import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { keepProcess } from './kept-process.ts';

const SCRIPT = 'console.log("ready"); setInterval(() => {}, 1000);';

function start(script = SCRIPT) {
  const clock = new VirtualClock();
  const scope = new Scope('kept', { log: silentLogger });
  const launched: ChildProcess[] = [];
  const waits: number[] = [];
  let told = Promise.withResolvers<void>();
  const kept = {
    name: 'n',
    launch: () => {
      const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'ignore'] });
      launched.push(child);
      return child;
    },
    ready: async (child: ChildProcess) => {
      const [first] = await Promise.race([
        once(child.stdout as NonNullable<typeof child.stdout>, 'data'),
        once(child, 'exit'),
      ]);
      if (typeof first === 'number') throw new RangeError(`ended with ${first}`);
    },
    ended: (_code: number | null, againMs: number) => {
      waits.push(againMs);
      told.resolve();
    },
    clock,
    scope,
  };
  const untilTold = async (): Promise<void> => {
    await told.promise;
    told = Promise.withResolvers<void>();
  };
  return { clock, scope, launched, waits, kept, untilTold };
}

test('who is killed is started again, later each time, until it is steady', async () => {
  const { clock, scope, launched, waits, kept, untilTold } = start();
  await keepProcess(kept);
  for (const afterMs of [0, 0, 70_000]) {
    await clock.advance(afterMs);
    launched.at(-1)?.kill('SIGKILL');
    await untilTold();
    await clock.advance(4_000);
  }
  assert.deepEqual(waits, [1_000, 2_000, 1_000]);
  assert.equal(launched.length, 4);
  await scope.close();
  assert.ok(launched.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null));
});

test('one that never works is told of, and not tried again', async () => {
  const { scope, launched, kept } = start('process.exit(3)');
  await assert.rejects(keepProcess(kept), RangeError);
  await scope.close();
  assert.equal(launched.length, 1);
});
