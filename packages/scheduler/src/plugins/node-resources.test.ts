import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Handle } from '../handle.ts';
import { ClusterState } from '../plan/cluster-state.ts';
import { demandOf } from '../plan/demand.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';
import { nodeResourcesBalancedAllocation, nodeResourcesFit } from './node-resources.ts';

type Asked = Parameters<typeof makePod>[1];
const NO_CANDIDATES = { slots: new Int32Array(), count: 0 };
/** Devices of this class stand for a resource that the node does not offer, and for one that it does. */
const CLASSES = [makeClass('fpga', 'y.io/claimed'), makeClass('gpu', 'x.io/gpu')];
const HANDLE = {
  snapshot: new ClusterState(),
  lister: () => ({ list: () => CLASSES, follow: () => undefined }),
} as unknown as Handle;

function makeClass(name: string, extendedResourceName: string): object {
  return { metadata: { name }, spec: { extendedResourceName } };
}

function node(): ClusterState {
  const state = new ClusterState();
  state.setNode(makeNode('n', { cpu: '4', memory: '8Gi', pods: '2', resources: { 'x.io/gpu': '4', 'x.io/tpu': '1' } }));
  return state;
}

describe('resources used in equal measure', () => {
  const names = ['cpu', 'memory', 'x.io/gpu'];
  // 75 and half of what changes: 100 less the standard deviation in percent, with the pod and without it.
  const rows: readonly (readonly [name: string, asked: Asked, score: number | undefined, there?: Asked])[] = [
    ['of two, half their difference is lost', { cpu: '2', memory: '2Gi' }, 68],
    ['of three, their standard deviation', { cpu: '2', memory: '2Gi', resources: { 'x.io/gpu': '1' } }, 69],
    ['all alike', { cpu: '1', memory: '2Gi', resources: { 'x.io/gpu': '1' } }, 75],
    ['more than there is counts as all', { cpu: '40', memory: '8Gi' }, 75],
    ['what was uneven becomes even', { cpu: '2', memory: '1Mi' }, 87, { cpu: '1m', memory: '4Gi' }],
    ['what was uneven stays as uneven', { cpu: '1', memory: '2Gi' }, 75, { cpu: '1m', memory: '4Gi' }],
    ['a pod that asks for nothing has no score', {}, undefined],
  ];
  for (const [name, asked, score, there] of rows) {
    test(name, () => {
      const args = { resources: names.map((resource) => ({ name: resource, weight: 1 })) };
      const plugin = nodeResourcesBalancedAllocation.create(HANDLE, args);
      const state = node();
      if (there !== undefined) state.assume(demandOf(makePod('there', there)), 'n');
      const scored = plugin.score?.(demandOf(makePod('p', asked)), state, NO_CANDIDATES);
      assert.equal(scored?.(state.nodes.slotOf('n') ?? -1), score);
    });
  }
});

describe('room for what a pod requests', () => {
  const IGNORING = { ignoredResources: ['x.io/tpu'], ignoredResourceGroups: ['y.io'] };
  const rows: readonly (readonly [
    name: string,
    asked: Asked,
    reasons: readonly string[] | undefined,
    args?: object,
  ])[] = [
    ['all of it', { cpu: '4', memory: '8Gi', resources: { 'x.io/gpu': '4' } }, undefined],
    ['too much of one', { cpu: '5' }, ['Insufficient cpu']],
    [
      'too much of all',
      { cpu: '5', memory: '9Gi', resources: { 'x.io/gpu': '5' } },
      ['Insufficient cpu', 'Insufficient memory', 'Insufficient x.io/gpu'],
    ],
    ['what no node has', { resources: { 'y.io/fpga': '1' } }, ['Insufficient y.io/fpga']],
    ['what is ignored by name', { resources: { 'x.io/tpu': '9' } }, undefined, IGNORING],
    ['what is ignored by group', { resources: { 'y.io/fpga': '1' } }, undefined, IGNORING],
    ['devices by claims stand for what the node does not offer', { resources: { 'y.io/claimed': '9' } }, undefined],
    ['by the name of their class', { resources: { 'deviceclass.resource.kubernetes.io/fpga': '9' } }, undefined],
    [
      'of a class that is not there',
      { resources: { 'deviceclass.resource.kubernetes.io/nope': '1' } },
      ['Insufficient deviceclass.resource.kubernetes.io/nope'],
    ],
    [
      'what the node offers is its own',
      { resources: { 'x.io/gpu': '5', 'y.io/claimed': '1' } },
      ['Insufficient x.io/gpu'],
    ],
    ['beside what is ignored', { resources: { 'x.io/gpu': '9' } }, ['Insufficient x.io/gpu'], IGNORING],
  ];
  for (const [name, asked, reasons, args] of rows) {
    test(name, () => {
      const state = node();
      const filter = nodeResourcesFit.create(HANDLE, args).filter?.(demandOf(makePod('p', asked)), state);
      assert.deepEqual(filter?.(state.nodes.slotOf('n') ?? -1)?.reasons, reasons);
    });
  }

  test('as many pods as the node takes', () => {
    const state = node();
    for (const there of ['a', 'b']) state.assume(demandOf(makePod(there)), 'n');
    const filter = nodeResourcesFit.create(HANDLE).filter?.(demandOf(makePod('p')), state);
    assert.deepEqual(filter?.(state.nodes.slotOf('n') ?? -1)?.reasons, ['Too many pods']);
  });
});

test('of dozens of resources the one that is short is named, and no other', () => {
  const names = Array.from({ length: 70 }, (_, i) => `example.com/r${i}`);
  for (const short of [0, 31, 32, 69]) {
    const there = Object.fromEntries(names.map((name, i) => [name, i === short ? '0' : '1']));
    const scene = new Scene().nodes(makeNode('n', { resources: there }));
    const requests = Object.fromEntries(names.map((name) => [name, '1']));
    const pod = makePod('p', { containers: [{ name: 'c', image: 'x', resources: { requests } }] });
    assert.match(scene.decide(pod).message ?? '', new RegExp(`nodes are available: 1 Insufficient ${names[short]}[.]`));
  }
});
