import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { describe, test } from 'node:test';
import { realClock } from '@binnacle/base/node';
import { endProcesses, findProcesses, readProcess } from './processes.ts';

const MARK = `binnacle-mark-${process.pid}`;

describe('processes', () => {
  const begin = async (script: string): Promise<ChildProcess> => {
    const child = spawn('sh', ['-c', `${script}; echo ready; read line`, MARK], {
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

  test('a pid that nobody has is nobody', async () => {
    assert.equal(await readProcess(2 ** 30), undefined);
  });
});
