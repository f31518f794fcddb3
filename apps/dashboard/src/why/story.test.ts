import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { TraceHop } from '@binnacle/trace';
import { mergeHops, storyOf } from './story.ts';

function hop(name: string, part: Partial<TraceHop>): TraceHop {
  return {
    apiVersion: 'trace.binnacle.dev/v1',
    kind: 'Hop',
    metadata: { name, resourceVersion: name.split('.')[0] ?? '', creationTimestamp: '' },
    type: 'request',
    component: 'kubectl',
    title: name,
    atMs: Number(name.split('.')[0]),
    durationMs: 1,
    cause: { type: 'client' },
    ...part,
  };
}

const HOPS: readonly TraceHop[] = [
  hop('1', { type: 'watch', user: 'system:kube-scheduler' }),
  hop('1.authorization', { type: 'authorization', cause: { type: 'hop', hop: '1' } }),
  hop('2', { user: 'admin' }),
  hop('2.authorization', { type: 'authorization', cause: { type: 'hop', hop: '2' } }),
  hop('3', { type: 'commit', component: 'store', cause: { type: 'hop', hop: '2' } }),
];

test('checks and watches can be left out, each with its lanes', () => {
  const shown = (checks: boolean, watches: boolean): string =>
    storyOf(HOPS, { checks, watches })
      .arrows.map((arrow) => arrow.hop.metadata.name)
      .join();
  equal(shown(true, true), '1,1.authorization,2,2.authorization,3');
  equal(shown(false, false), '2,3');
  equal(shown(true, false), '2,2.authorization,3');
  deepEqual(storyOf(HOPS, { checks: false, watches: false }).lanes, ['client', 'apiserver', 'store']);
});

test('what is told twice is there once', () => {
  equal(mergeHops(HOPS, [hop('3', {}), hop('4', {})]).length, 6);
});
