import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HopKind } from '@binnacle/base';
import type { HopCause, TraceHop } from './hop.ts';
import { inOrder } from './order.ts';

function hop(name: string, type: HopKind, of: { at?: number; cause?: string } = {}): TraceHop {
  const cause: HopCause = of.cause === undefined ? { type: 'client' } : { type: 'hop', hop: of.cause };
  return {
    apiVersion: 'trace.binnacle.dev/v1',
    kind: 'Hop',
    metadata: { name, resourceVersion: name.split('.')[0] ?? '', creationTimestamp: '' },
    ...{ type, component: 'c', title: name, atMs: of.at ?? 5, durationMs: 0, cause },
  };
}

const ROWS: readonly [name: string, hops: TraceHop[], order: string][] = [
  ['by time', [hop('2', 'request', { at: 9 }), hop('1', 'request', { at: 7 })], '1 2'],
  ['a request is recorded after its commit', [hop('1', 'commit', { cause: '2' }), hop('2', 'request')], '2 1'],
  [
    'what was decided stands behind its request',
    [
      hop('1', 'commit', { cause: '2' }),
      hop('2.a', 'admission', { cause: '2' }),
      hop('2.0', 'authorization', { cause: '2' }),
      hop('2', 'request'),
    ],
    '2 2.0 2.a 1',
  ],
  [
    'a chain in one moment',
    [
      hop('5', 'request', { cause: '6' }),
      hop('6', 'reconcile', { cause: '3' }),
      hop('3', 'delivery', { cause: '1' }),
      hop('1', 'commit', { cause: '2' }),
      hop('2', 'request'),
      hop('4', 'commit', { cause: '5' }),
    ],
    '2 1 3 6 5 4',
  ],
  ['causes that go round', [hop('1', 'reconcile', { cause: '2' }), hop('2', 'reconcile', { cause: '1' })], '2 1'],
];

for (const [name, hops, order] of ROWS) {
  test(`the order of hops: ${name}`, () =>
    assert.equal(
      inOrder(hops)
        .map(({ metadata }) => metadata.name)
        .join(' '),
      order,
    ));
}

test('many hops of one moment take no longer than many hops', () => {
  const many = Array.from({ length: 50_000 }, (_, at) => hop(String(at), 'commit', { cause: String(at + 1) }));
  assert.equal(inOrder(many)[0]?.metadata.name, '49999');
});
