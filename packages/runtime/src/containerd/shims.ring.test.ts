import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { layoutOf } from './layout.ts';
import { readProcess } from './processes.ts';
import { endLostShims } from './shims.ts';

const STATE = `/tmp/binnacle-shims-${process.pid}`;
const running: ChildProcess[] = [];

after(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Something with a shim's arguments, and a process under it. */
async function startShim(
  id: string,
  stateDir: string,
  ...action: readonly string[]
): Promise<{ shim: ChildProcess; under: number }> {
  const args = ['-c', 'sleep 60 & echo up; wait', 'shim', '-namespace', 'k8s.io', '-id', id];
  const shim = spawn('/bin/sh', [...args, '-address', layoutOf(stateDir).socket, ...action], {
    argv0: '/usr/bin/containerd-shim-runc-v2',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(shim);
  await once(shim.stdout, 'data');
  const children = await readFile(`/proc/${shim.pid}/task/${shim.pid}/children`, 'utf8');
  return { shim, under: Number(children.trim()) };
}

test('shims of what nobody knows go with what is under them; those of what is known, and those of another containerd, stay', async () => {
  const known = await startShim('known', STATE);
  const lost = await startShim('lost', STATE);
  const foreign = await startShim('lost', `${STATE}-other`);
  const atWork = [await startShim('coming', STATE, 'start'), await startShim('going', STATE, 'delete')];
  const ended = once(lost.shim, 'exit');
  await endLostShims(
    { stateDir: STATE, clock: realClock, known: async () => new Set(['known']), workMsMax: 1 },
    silentLogger,
  );
  await ended;
  assert.equal(await readProcess(lost.under), undefined);
  for (const { shim, under } of [known, foreign, ...atWork]) {
    assert.equal(shim.exitCode ?? shim.signalCode, null);
    assert.notEqual(await readProcess(under), undefined);
    process.kill(under, 'SIGKILL');
  }
});

test('a shim of what became known while it was looked for stays', async () => {
  const { shim, under } = await startShim('late', STATE);
  const log: string[] = [];
  const known = async (): Promise<ReadonlySet<string>> => {
    assert.notEqual(await readProcess(under), undefined);
    log.push('asked');
    return new Set(['late']);
  };
  await endLostShims({ stateDir: STATE, clock: realClock, known }, silentLogger);
  assert.deepEqual([log, shim.exitCode ?? shim.signalCode], [['asked'], null]);
  process.kill(under, 'SIGKILL');
});
