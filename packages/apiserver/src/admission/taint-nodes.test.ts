import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAdmission } from '../testing/admission.ts';
import { taintNodesByCondition } from './taint-nodes.ts';

test('TaintNodesByCondition taints a new node once', async () => {
  const node = { metadata: { name: 'n' }, spec: {} };
  for (let i = 0; i < 2; i++) {
    await runAdmission(taintNodesByCondition, { operation: 'CREATE', resource: 'nodes', object: node });
  }
  assert.deepEqual(node.spec, { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] });
});
