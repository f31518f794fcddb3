import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { RuntimeError } from '@binnacle/runtime';
import type { Runtime, RuntimeStatus } from '@binnacle/runtime';
import type { Node, Pod, Taint } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { misplaced, misplacement } from './placement.ts';

function node(labels: { [key: string]: string } = {}, taints: readonly Taint[] = []): Node {
  return { metadata: { name: 'n1', labels }, spec: { taints: [...taints] } };
}

const choosy = testPod({ spec: { nodeSelector: { disk: 'ssd' } } });
const plain = testPod();
const tolerant = testPod({ spec: { tolerations: [{ operator: 'Exists', tolerationSeconds: 5 }] } });
const ofFile = testPod({ metadata: { annotations: { 'kubernetes.io/config.source': 'file' } } });
const evicts: Taint = { key: 'k', effect: 'NoExecute' };

const rows: readonly [string, Pod, Node, string | undefined][] = [
  ['its labels are there', choosy, node({ disk: 'ssd' }), undefined],
  ['its labels are not there', choosy, node(), 'NodeAffinity'],
  ['a taint that only keeps new ones away', plain, node({}, [{ key: 'k', effect: 'NoSchedule' }]), undefined],
  ['a taint that ends pods', plain, node({}, [evicts]), 'TaintToleration'],
  ['one that it tolerates for a while', tolerant, node({}, [evicts]), undefined],
  ['one that it tolerates, of the node itself', ofFile, node({}, [evicts]), undefined],
];

for (const [name, pod, on, reason] of rows) {
  test(`placement: ${name}`, () => assert.equal(misplacement(pod, on)?.reason, reason));
}

test('nobody is sent away for what was so once', async () => {
  const log = silentLogger;
  const runtime = { status: () => assert.fail('what it can is not asked') } as unknown as Runtime;
  const asked = (read: () => Promise<Node>, lastRead: Node | undefined = node()) =>
    misplaced({ log, runtime, apiNode: () => ({ lastRead, read }) }, choosy);
  assert.equal(await asked(async () => node({ disk: 'ssd' })), undefined);
  assert.deepEqual(await asked(async () => node()), {
    reason: 'NodeAffinity',
    message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  });
  assert.equal((await asked(() => Promise.reject(new Error('away'))))?.reason, 'NodeAffinity');
  const never = (): Promise<Node> => assert.fail('nobody asks where it is known to fit');
  assert.equal(misplaced({ log, runtime, apiNode: () => ({ lastRead: undefined, read: never }) }, choosy), undefined);
  assert.equal(asked(never, node({ disk: 'ssd' })), undefined);
});

const strict = testPod({ spec: { securityContext: { supplementalGroupsPolicy: 'Strict' } } });
const merging = testPod({ spec: { securityContext: { supplementalGroupsPolicy: 'Merge' } } });
const able = async (supportsGroupsPolicy?: boolean) => ({ supportsGroupsPolicy }) as RuntimeStatus;
const away = (): Promise<never> => Promise.reject(new RuntimeError('away'));
const told = { ...node(), status: { features: { supplementalGroupsPolicy: true } } };

for (const [name, pod, status, lastRead, isRefused] of [
  ['one that knows of it', strict, () => able(true), node(), false],
  ['one that cannot', strict, () => able(false), told, true],
  ['one that is too old to tell', strict, () => able(), node(), true],
  ['one that is away and was told of before', strict, away, told, false],
  ['one that is away and was not told of', strict, away, node(), true],
  ['one that cannot, and need not', merging, () => able(false), node(), false],
] as const) {
  test(`groups of the image are kept out by the runtime: ${name}`, async () => {
    const runtime = { status } as unknown as Runtime;
    const apiNode = () => ({ lastRead, read: async () => lastRead });
    const refusal = await misplaced({ log: silentLogger, runtime, apiNode }, pod);
    const wanted = {
      reason: 'SupplementalGroupsPolicyNotSupported',
      message: 'SupplementalGroupsPolicy=Strict is not supported in this node',
    };
    assert.deepEqual(refusal, isRefused ? wanted : undefined);
  });
}
