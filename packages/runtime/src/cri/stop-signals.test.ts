import assert from 'node:assert/strict';
import { test } from 'node:test';
import { criSignal, keepsStopSignals, signalNumber } from './stop-signals.ts';

const rows: readonly [string, number | undefined, string][] = [
  ['SIGTERM', 15, 'SIGTERM'],
  ['SIGUSR1', 10, 'SIGUSR1'],
  ['SIGCLD', 17, 'SIGCLD'],
  ['SIGRTMIN', 34, 'SIGRTMIN'],
  ['SIGRTMIN+3', 37, 'SIGRTMINPLUS3'],
  ['SIGRTMAX-14', 50, 'SIGRTMAXMINUS14'],
  ['constructor', undefined, 'constructor'],
];
for (const [name, number, cri] of rows)
  test(`signal ${name}`, () => assert.deepEqual([signalNumber(name), criSignal(name)], [number, cri]));

test('who keeps them', () => {
  const keeps = (name: string, version: string): boolean => keepsStopSignals({ name, version });
  assert.deepEqual(
    [
      keeps('containerd', '1.6.20~ds1'),
      keeps('containerd', 'v2.0.9'),
      keeps('containerd', 'v2.1.0'),
      keeps('cri-o', '1.20'),
    ],
    [false, false, true, true],
  );
});
