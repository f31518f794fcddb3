import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { DaemonSet, RollingUpdateDaemonSet } from '@binnacle/api/apps/v1';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { planDaemons, statusOf } from './plan.ts';
import type { DaemonSeen } from './plan.ts';

/** `node` and letters: o(ld), u(navailable), f(ailed), d(eleting), w(aiting to be bound); later ones are younger. */
function pod(text: string, index: number): Pod {
  const node = /^\d+/.exec(text)?.[0] ?? '';
  const letters = text.slice(node.length);
  const has = (letter: string): boolean => letters.includes(letter);
  const values = [`n${node}`];
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values }] };
  return {
    metadata: {
      name: text,
      creationTimestamp: `2026-01-01T00:00:${10 + index}Z`,
      labels: { 'controller-revision-hash': has('o') ? 'old' : 'new' },
      ...(has('d') ? { deletionTimestamp: '2026-01-01T00:00:50Z' } : {}),
    },
    spec: {
      containers: [],
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
      ...(has('w') ? {} : { nodeName: `n${node}` }),
    },
    status: {
      phase: has('f') ? 'Failed' : 'Running',
      conditions: [{ type: 'Ready', status: has('u') || has('f') ? 'False' : 'True' }],
    },
  };
}

function seen(nodes: string, pods: string, rollingUpdate: RollingUpdateDaemonSet = {}): DaemonSeen {
  const set: DaemonSet = {
    metadata: { name: 'agent', generation: 3 },
    spec: {
      template: { metadata: {}, spec: { containers: [] } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate },
    },
  };
  const node = (text: string): Node => {
    const effect = text.includes('x') ? ('NoExecute' as const) : ('NoSchedule' as const);
    const taints = /[xt]/.test(text) ? [{ key: 'keep-out', effect }] : [];
    return { metadata: { name: `n${/^\d+/.exec(text)?.[0]}` }, spec: { taints } };
  };
  const words = (text: string): readonly string[] => text.split(' ').filter(Boolean);
  return {
    set,
    nodes: words(nodes).map(node),
    pods: words(pods).map(pod),
    hash: 'new',
    nowMs: Date.parse('2026-01-01T00:01:00Z'),
    isBackedOff: () => false,
  };
}

/** Nodes: number, t(ainted: no new pods), x (drives pods out). */
const ROWS: readonly [string, string, string, RollingUpdateDaemonSet, string][] = [
  ['one for each node', '1 2 3', '2', {}, '+1 +3'],
  ['not where none may come', '1 2t 3x', '', {}, '+1'],
  ['what is there may stay', '1t', '1', {}, ''],
  ['what may not stay goes', '1x', '1', {}, '-1'],
  ['one that is meant for a node counts', '1', '1w', {}, ''],
  ['one that goes is waited for', '1', '1d', {}, ''],
  ['a failed one goes first', '1', '1f', {}, '-1f'],
  ['the younger of two goes', '1', '1 1u', {}, '-1u'],
  ['who is on its node stays, however old the other is', '1', '1w 1', {}, '-1w'],
  ['an old one that may only stay goes in its turn', '1t 2', '1o 2o', {}, '-1o'],
  ['an old one that may only stay: not while another is unavailable', '1t 2', '1o 2u', {}, ''],
  ['an old one that may only stay and is of no use', '1t 2', '1ou 2u', {}, '-1ou'],
  ['one for a node that is gone, not bound yet', '1', '1 2w', {}, '-2w'],
  ['one on a node that is gone is the collector’s', '1', '1 2', {}, ''],
  ['an old one, one at a time', '1 2 3', '1o 2o 3o', {}, '-1o'],
  ['not while another is unavailable', '1 2 3', '1u 2o 3o', {}, ''],
  ['not while another is missing', '1 2 3', '2o 3o', {}, '+1'],
  ['an old one that is of no use costs nothing', '1 2 3', '1ou 2o 3u', {}, '-1ou'],
  ['half at a time', '1 2 3 4', '1o 2o 3o 4o', { maxUnavailable: '50%' }, '-1o -2o'],
  ['a surge: beside the old one', '1 2 3', '1o 2o 3o', { maxSurge: 1, maxUnavailable: 0 }, '+1'],
  ['a surge: not more than that', '1 2 3', '1o 1u 2o 3o', { maxSurge: 1, maxUnavailable: 0 }, ''],
  ['a surge: the old one goes', '1 2', '1o 1 2', { maxSurge: 1, maxUnavailable: 0 }, '-1o'],
  ['a surge: at once where the old one is of no use', '1 2', '1ou 2o', { maxSurge: 1, maxUnavailable: 0 }, '+1 +2'],
  ['a surge: who goes is not waited for', '1 2', '1d 2', { maxSurge: 1, maxUnavailable: 0 }, '+1'],
  ['a surge: one that may only stay goes when enough are there', '1t 2', '1o 2', { maxSurge: 1 }, '-1o'],
  ['a surge: one that may only stay is kept until then', '1t 2', '1o 2u', { maxSurge: 1 }, ''],
  ['a surge: one that may only stay and is of no use', '1t 2', '1ou 2u', { maxSurge: 1 }, '-1ou'],
  ['a surge: the useless old one goes before the new one is ready', '1', '1ou 1u', { maxSurge: 1 }, '-1ou'],
];
for (const [name, nodes, pods, strategy, expected] of ROWS) {
  test(name, () => {
    const plan = planDaemons(seen(nodes, pods, strategy));
    const made = plan.create.map((node) => `+${node.slice(1)}`);
    const gone = plan.remove.map((one) => `-${one.metadata.name}`);
    assert.deepEqual([...made, ...gone].toSorted(), expected.split(' ').filter(Boolean).toSorted());
  });
}

test('on delete, and where a failed one has to wait, nothing goes', () => {
  const onDelete = seen('1', '1o');
  const set = { ...onDelete.set, spec: { ...onDelete.set.spec, updateStrategy: { type: 'OnDelete' as const } } };
  assert.deepEqual(planDaemons({ ...onDelete, set }).remove, []);
  const plan = planDaemons({ ...seen('1', '1f'), isBackedOff: () => true });
  assert.deepEqual([plan.remove, plan.create, plan.ended.length], [[], [], 1]);
});

test('reports each node by its oldest pod', () => {
  assert.deepEqual(statusOf(seen('1 2 3 4t 5', '1 2o 3u 4'), 2), {
    currentNumberScheduled: 3,
    numberMisscheduled: 1,
    desiredNumberScheduled: 4,
    numberReady: 2,
    observedGeneration: 3,
    updatedNumberScheduled: 2,
    numberAvailable: 2,
    numberUnavailable: 2,
    collisionCount: 2,
  });
});
