import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Node } from '@binnacle/api/core/v1';
import { decideTaints, needsEviction } from './taints.ts';

type Status = 'True' | 'False' | 'Unknown';

function node(
  ready: Status | undefined,
  more: { unschedulable?: boolean; taints?: string[]; pressure?: string } = {},
): Node {
  const taints = (more.taints ?? []).map((text) => {
    const [key = '', effect] = text.split('=');
    return { key, effect: effect as 'NoSchedule' };
  });
  const conditions = [
    ...(ready === undefined ? [] : [{ type: 'Ready', status: ready }]),
    ...(more.pressure === undefined ? [] : [{ type: more.pressure, status: 'True' as const }]),
  ];
  const cordoned = more.unschedulable === undefined ? {} : { unschedulable: more.unschedulable };
  return { metadata: { name: 'n' }, spec: { ...cordoned, taints }, status: { conditions } };
}

const K = 'node.kubernetes.io';
const rows: { name: string; node: Node; eviction?: 'allow' | 'hold' | 'none'; taints: string[] }[] = [
  { name: 'ready: none', node: node('True'), taints: [] },
  {
    name: 'ready again: ours go, others stay',
    node: node('True', { taints: [`${K}/not-ready=NoExecute`, 'x=NoSchedule'] }),
    taints: ['x=NoSchedule'],
  },
  { name: 'not ready', node: node('False'), taints: [`${K}/not-ready=NoSchedule`, `${K}/not-ready=NoExecute`] },
  { name: 'unknown', node: node('Unknown'), taints: [`${K}/unreachable=NoSchedule`, `${K}/unreachable=NoExecute`] },
  {
    name: 'never reported: nothing is known yet, not even what was assumed when it was made',
    node: node(undefined, { taints: [`${K}/not-ready=NoSchedule`, 'x=NoSchedule'] }),
    taints: ['x=NoSchedule'],
  },
  {
    name: 'unknown, evictions slowed: none yet',
    node: node('Unknown'),
    eviction: 'hold',
    taints: [`${K}/unreachable=NoSchedule`],
  },
  {
    name: 'unknown, evictions slowed: one that is given up already says why',
    node: node('Unknown', { taints: [`${K}/not-ready=NoExecute`] }),
    eviction: 'hold',
    taints: [`${K}/unreachable=NoSchedule`, `${K}/unreachable=NoExecute`],
  },
  {
    name: 'everything unknown: evictions are called off',
    node: node('Unknown', { taints: [`${K}/unreachable=NoExecute`, `${K}/unreachable=NoSchedule`] }),
    eviction: 'none',
    taints: [`${K}/unreachable=NoSchedule`],
  },
  { name: 'cordoned', node: node('True', { unschedulable: true }), taints: [`${K}/unschedulable=NoSchedule`] },
  { name: 'uncordoned', node: node('True', { taints: [`${K}/unschedulable=NoSchedule`] }), taints: [] },
  {
    name: 'short of memory',
    node: node('True', { pressure: 'MemoryPressure' }),
    taints: [`${K}/memory-pressure=NoSchedule`],
  },
];
for (const row of rows) {
  test(`taints: ${row.name}`, () => {
    const taints = decideTaints(row.node, row.eviction ?? 'allow', 'now');
    assert.deepEqual(
      taints.map((taint) => `${taint.key}=${taint.effect}`),
      row.taints,
    );
  });
}

test('nothing to change: the same list', () => {
  const right = node('True', { taints: ['x=NoSchedule'] });
  assert.equal(decideTaints(right, 'allow', 'now'), right.spec.taints);
});

test('who is given up already asks for no turn, nor who never reported', () => {
  const asks = [
    node('Unknown'),
    node('Unknown', { taints: [`${K}/not-ready=NoExecute`] }),
    node(undefined),
    node('True'),
  ].map((one) => needsEviction(one));
  assert.deepEqual(asks, [true, false, false, false]);
});
