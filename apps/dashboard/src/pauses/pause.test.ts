import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { deedsOf, inOrderOfUse, pauseCall, pauseCommand, remainingText } from './pause.ts';
import type { Pause } from './pause.ts';

const GROUP = 'trace.binnacle.dev/v1';
const of = (name: string, part: Partial<Pause> = {}): Pause => ({
  apiVersion: GROUP,
  kind: 'Pause',
  metadata: { name, resourceVersion: '1' },
  ...part,
});
const held = (steps: number, passed: number): Partial<Pause> => ({
  spec: { steps, deadlineSeconds: 60 },
  status: { held: true, passed, waiting: [], endsAtMs: 245_000 },
});

test('a step is one more than what was taken', () => {
  const stepsOf = (pause: Pause, deed: 'hold' | 'step'): unknown =>
    (pauseCall(pause, deed).body as { spec: { steps: number } }).spec.steps;
  equal(stepsOf(of('a'), 'hold'), 0);
  equal(stepsOf(of('a', held(0, 0)), 'step'), 1);
  equal(stepsOf(of('a', held(3, 3)), 'step'), 4);
  deepEqual(pauseCall(of('a b', held(3, 3)), 'release'), { method: 'DELETE', path: `/apis/${GROUP}/pauses/a%20b` });
});

test('each is a command too, that does the same by the same call', () => {
  const target = 'pauses.trace.binnacle.dev';
  equal(pauseCommand(of('kubelet.a'), 'release'), `kubectl delete ${target} kubelet.a`);
  const patch = { spec: { steps: 1, deadlineSeconds: 600 } };
  equal(
    pauseCommand(of('a', held(0, 0)), 'step'),
    `kubectl patch ${target} a --type=merge -p '${JSON.stringify(patch)}'`,
  );
  deepEqual(pauseCall(of('a', held(0, 0)), 'step'), {
    method: 'PATCH',
    path: `/apis/${GROUP}/pauses/a`,
    contentType: 'application/merge-patch+json',
    body: patch,
  });
});

test('who may only let go is offered that alone, and who may not is not', () => {
  const offered = (verb: string, part: Partial<Pause> = held(0, 0)): string =>
    deedsOf(of('a', part), (one) => one === verb).join();
  deepEqual([offered('patch'), offered('delete')], ['step', 'release']);
  deepEqual([offered('patch', {}), offered('delete', {})], ['hold', '']);
});

test('who is held comes first, with what is left to him', () => {
  equal(
    inOrderOfUse([of('a'), of('b', held(0, 0)), of('c')])
      .map(({ metadata }) => metadata.name)
      .join(),
    'b,a,c',
  );
  deepEqual(
    [0, 184_500, 300_000].map((now) => remainingText(of('b', held(0, 0)), now)),
    ['4:05', '1:00', '0:00'],
  );
});
