import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { post, virtualWorld } from '../../../testing/handlers.ts';
import { createBindingHandler } from './binding.ts';

const world = virtualWorld();
const handler = createBindingHandler(world);
const at = { namespace: 'a', name: 'p' };
const target = { kind: 'Node', name: 'n1' };

function put(spec: object = {}, meta: object = {}): void {
  world.cache.put(PODS, { metadata: { ...at, uid: 'u', annotations: { x: '1' }, ...meta }, spec } as never);
}

test('the pod has its node, the annotations of the binding and the condition', async () => {
  put();
  const body = { metadata: { name: 'p', uid: 'u', annotations: { y: '2' } }, target };
  assert.deepEqual(await post(handler, 'pods/binding', { ...at, body }), {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
  });
  const pod = world.cache.get(PODS, 'a', 'p') as Pod;
  assert.equal(pod.spec.nodeName, 'n1');
  assert.deepEqual(pod.metadata.annotations, { x: '1', y: '2' });
  assert.deepEqual(pod.status?.conditions, [
    { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ]);
});

test('a nomination ends with the binding', async () => {
  const status = { phase: 'Pending', nominatedNodeName: 'n2' };
  world.cache.put(PODS, { metadata: { ...at, uid: 'u' }, spec: {}, status } as never);
  await post(handler, 'pods/binding', { ...at, body: { metadata: { name: 'p' }, target } });
  const pod = world.cache.get(PODS, 'a', 'p') as Pod;
  assert.deepEqual([pod.status?.phase, pod.status?.nominatedNodeName], ['Pending', undefined]);
});

test('by its name in the body, as the 1.2 API posts bindings', async () => {
  put();
  await post(handler, 'bindings', { namespace: 'a', body: { metadata: { name: 'p' }, target } });
  assert.equal((world.cache.get(PODS, 'a', 'p') as Pod).spec.nodeName, 'n1');
});

describe('refused', () => {
  const conflict = 'Operation cannot be fulfilled on pods/binding "p": ';
  const rows: readonly (readonly [string, { spec?: object; meta?: object; binding?: object }, string])[] = [
    ['bound already', { spec: { nodeName: 'n2' } }, `${conflict}pod p is already assigned to node "n2"`],
    [
      'being deleted',
      { meta: { deletionTimestamp: 'x' } },
      `${conflict}pod p is being deleted, cannot be assigned to a host`,
    ],
    ['gated', { spec: { schedulingGates: [{ name: 'g' }] } }, `${conflict}pod p has non-empty .spec.schedulingGates`],
    [
      'another life',
      { binding: { metadata: { name: 'p', uid: 'old' } } },
      'Operation cannot be fulfilled on pods "p": Precondition failed: UID in precondition: old, UID in object meta: u',
    ],
    ['another name', { binding: { metadata: { name: 'q' } } }, 'name in URL does not match name in Binding object'],
    ['no node', { binding: { target: {} } }, 'Binding "p" is invalid: target.name: Required value'],
    [
      'to something else',
      { binding: { target: { kind: 'Pod', name: 'x' } } },
      'Binding "p" is invalid: target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    ],
  ];
  for (const [name, { spec, meta, binding }, message] of rows) {
    test(name, async () => {
      put(spec, meta);
      const body = { metadata: { name: 'p' }, target, ...binding };
      await assert.rejects(post(handler, 'pods/binding', { ...at, body }), { message });
    });
  }
  test('no such pod', async () => {
    const body = { metadata: { name: 'z' }, target };
    await assert.rejects(post(handler, 'pods/binding', { namespace: 'a', name: 'z', body }), {
      message: 'pods "z" not found',
    });
  });
});
