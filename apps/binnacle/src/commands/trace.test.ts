import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HopCause, TraceHop, TraceHopList } from '@binnacle/trace';
import { remarks } from './trace.ts';

function listOf(causes: readonly HopCause[], next?: string): TraceHopList {
  return {
    ...{ apiVersion: 'trace.binnacle.dev/v1', kind: 'HopList' },
    metadata: { resourceVersion: '9', ...(next === undefined ? {} : { continue: next }) },
    ring: {
      ...{ on: true, oldestRevision: '1', currentRevision: '9' },
      forgotten: { changes: 1, others: 2, deliveries: 3 },
    },
    items: causes.map((cause) => ({ cause }) as TraceHop),
  };
}

const ROWS: readonly (readonly [name: string, list: TraceHopList, said: readonly string[]])[] = [
  ['nothing of what is whole', listOf([{ type: 'client' }, { type: 'hop', hop: '1' }]), []],
  ['that a story is longer', listOf([{ type: 'client' }], '4'), ['of a longer story the latest 1 hops are shown']],
  [
    'how much is forgotten',
    listOf([{ type: 'forgotten' }]),
    ['some causes are forgotten: the ring has let go of 1 changes, 2 other requests and 3 deliveries'],
  ],
  ['that something is hidden', listOf([{ type: 'hidden' }]), ['some causes are not for your eyes']],
];

for (const [name, list, said] of ROWS) {
  test(`of what a picture does not show it is said: ${name}`, () => assert.deepEqual(remarks(list), said));
}
