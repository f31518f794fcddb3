import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { sleep } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { endProcesses, findProcesses, readProcess, waitForEnds } from './processes.ts';

const MARK = `binnacle-mark-${process.pid}`;
const hasKernelThreads = existsSync('/proc/2/comm') && readFileSync('/proc/2/comm', 'utf8') === 'kthreadd\n';

describe('processes', () => {
  const begin = async (script: string, then = ':'): Promise<ChildProcess> => {
    const child = spawn('sh', ['-c', `${script}; echo ready; read line; ${then}`, MARK], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    return child;
  };
  const marked = (argv: readonly string[]): boolean => argv[0] === 'sh' && argv.includes(MARK);

  test('found by their arguments, ended by asking', async () => {
    const child = await begin(':');
    const found = await findProcesses(marked);
    assert.deepEqual(
      found.map((info) => info.pid),
      [child.pid],
    );
    await endProcesses(realClock, found, 5000);
    assert.equal(child.signalCode ?? (await new Promise((r) => child.once('exit', (_, s) => r(s)))), 'SIGTERM');
    assert.deepEqual(await findProcesses(marked), []);
    await endProcesses(realClock, found, 5000);
  });

  test('killed when asking does not help', async () => {
    const child = await begin('trap "" TERM');
    await endProcesses(realClock, await findProcesses(marked), 50);
    assert.equal(child.signalCode ?? (await new Promise((r) => child.once('exit', (_, s) => r(s)))), 'SIGKILL');
  });

  test('the same one when it has become another program', async () => {
    const child = await begin(':', 'exec sleep 1000');
    const found = await findProcesses(marked);
    child.stdin?.end('\n');
    const deadline = realClock.monotonic() + 10_000;
    while ((await readProcess(child.pid ?? 0))?.argv[0] !== 'sleep') {
      assert.ok(realClock.monotonic() < deadline, 'it becomes another program');
      await sleep(realClock, 5);
    }
    const left = await waitForEnds(realClock, found, 0);
    child.kill('SIGKILL');
    assert.deepEqual(left, found);
    assert.deepEqual(await waitForEnds(realClock, found, 10_000), []);
  });

  const none = hasKernelThreads ? false : 'threads of the kernel are not seen here';
  // As between two programs, but for good.
  test('there, though without a command line', { skip: none }, async () => {
    const thread = await readProcess(2);
    assert.deepEqual(thread?.argv, []);
    assert.deepEqual(await waitForEnds(realClock, [thread], 0), [thread]);
  });

  test('a pid that nobody has is nobody, and one that has ended', async (t) => {
    assert.equal(await readProcess(2 ** 30), undefined);
    // Its child ends, and nobody asks what became of it: a shell would, so it is another program by then.
    const child = spawn('sh', ['-c', 'read line <&3 & echo $!; exec sleep 1000 3<&-'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    t.after(() => child.kill('SIGKILL'));
    const pid = Number(await new Promise((resolve) => child.stdout?.once('data', resolve)));
    const deadline = realClock.monotonic() + 10_000;
    const until = async (pidOf: number, isSo: (process: Awaited<ReturnType<typeof readProcess>>) => boolean) => {
      while (!isSo(await readProcess(pidOf))) {
        assert.ok(realClock.monotonic() < deadline, 'a process does as it is told');
        await sleep(realClock, 5);
      }
    };
    await until(child.pid ?? 0, (one) => one?.argv[0] === 'sleep');
    child.stdio[3]?.destroy();
    await until(pid, (one) => one === undefined);
    assert.ok(existsSync(`/proc/${pid}`));
  });
});
