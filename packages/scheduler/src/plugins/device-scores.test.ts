/** Nodes are weighed by the devices that stand for an extended resource, where they do not offer it themselves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEVICE_CLASSES, RESOURCE_CLAIMS, RESOURCE_SLICES } from '@binnacle/api';
import type { Device, DeviceRequestAllocationResult } from '@binnacle/api/resource/v1';
import { defaultProfile } from '../profile.ts';
import { makeClaim, makeClass, makeSlice } from '../testing/devices.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';
import type { ScoringStrategy } from './allocation-scores.ts';

const GPU = 'x.io/gpu';
const RESOURCES = [{ name: GPU, weight: 1 }];
const SHAPE = [
  { utilization: 0, score: 0 },
  { utilization: 100, score: 10 },
];

function sceneWith(strategy: ScoringStrategy): Scene {
  const argsOf: { readonly [name: string]: object } = {
    NodeResourcesFit: { scoringStrategy: strategy },
    NodeResourcesBalancedAllocation: { resources: [...RESOURCES, { name: 'cpu', weight: 1 }] },
  };
  const profile = defaultProfile();
  const plugins = profile.plugins.map((one) => ({ ...one, args: argsOf[one.factory.name] ?? one.args }));
  const scene = new Scene({ profile: { ...profile, plugins } });
  const { spec } = makeClass('gpu', 'device.attributes["d.example.org"].kind == "gpu"');
  scene.object(DEVICE_CLASSES, { metadata: { name: 'gpu' }, spec: { ...spec, extendedResourceName: GPU } });
  for (const [node, count] of [
    ['a', 2],
    ['b', 4],
  ] as const) {
    scene.nodes(makeNode(node, { cpu: '4' }));
    const devices = Array.from({ length: count }, (_, i) => device(`g${i}`, 'gpu'));
    scene.object(RESOURCE_SLICES, makeSlice(node, [...devices, device('other', 'nic')]));
  }
  return scene;
}

function device(name: string, kind: string): Device {
  return { name, attributes: { kind: { string: kind } } };
}

/** A claim of somebody else has these devices of a node. */
function give(scene: Scene, node: string, ...names: readonly string[]): void {
  const results = names.map((name): DeviceRequestAllocationResult => ({
    request: 'r',
    driver: 'd.example.org',
    pool: node,
    device: name,
  }));
  const status = { allocation: { devices: { results } } };
  scene.object(RESOURCE_CLAIMS, makeClaim(`of-${node}`, [], { status }));
}

function points(scene: Scene, plugin: string, asked = '1'): { readonly [node: string]: number | undefined } {
  const { scored } = scene.decide(makePod('p', { cpu: '1', resources: { [GPU]: asked } })).explanation;
  return Object.fromEntries(scored.map(({ node, by }) => [node, by[plugin]]));
}

for (const [name, strategy, before, after] of [
  ['the emptiest', { type: 'LeastAllocated', resources: RESOURCES }, { a: 50, b: 75 }, { a: 50, b: 25 }],
  ['the fullest', { type: 'MostAllocated', resources: RESOURCES }, { a: 50, b: 25 }, { a: 50, b: 75 }],
  [
    'by a ratio',
    { type: 'RequestedToCapacityRatio', resources: RESOURCES, shape: SHAPE },
    { a: 50, b: 25 },
    { a: 50, b: 75 },
  ],
] as const satisfies readonly (readonly [string, ScoringStrategy, object, object])[])
  test(`devices in the scores of NodeResourcesFit: ${name}; also of what was just given to somebody`, () => {
    const scene = sceneWith(strategy);
    assert.deepEqual(points(scene, 'NodeResourcesFit'), before);
    give(scene, 'b', 'g0', 'g1');
    assert.deepEqual(points(scene, 'NodeResourcesFit'), after);
  });

test('devices in the scores of NodeResourcesBalancedAllocation', () => {
  const scene = sceneWith({ type: 'LeastAllocated', resources: RESOURCES });
  // A quarter of the CPUs beside half or a quarter of the devices: 100 - 25 / 2, and as even as before.
  assert.deepEqual(points(scene, 'NodeResourcesBalancedAllocation'), { a: 68, b: 75 });
  scene.placed(makePod('there', { cpu: '2' }), 'b');
  assert.equal(points(scene, 'NodeResourcesBalancedAllocation', '2')['b'], 81, 'the devices follow the CPUs');
  give(scene, 'b', 'g0', 'g1');
  assert.equal(points(scene, 'NodeResourcesBalancedAllocation', '2')['b'], 68, 'they were level');
});

test('what a node offers itself counts there, and its devices do not', () => {
  const scene = sceneWith({ type: 'LeastAllocated', resources: RESOURCES });
  scene.nodes(makeNode('a', { cpu: '4', resources: { [GPU]: '10' } }));
  assert.deepEqual(points(scene, 'NodeResourcesFit'), { a: 90, b: 75 });
});

test('devices that come, and a class that means others, count at once', () => {
  const scene = sceneWith({ type: 'LeastAllocated', resources: RESOURCES });
  assert.deepEqual(points(scene, 'NodeResourcesFit'), { a: 50, b: 75 });
  scene.object(
    RESOURCE_SLICES,
    makeSlice(
      'a',
      Array.from({ length: 10 }, (_, i) => device(`g${i}`, 'gpu')),
    ),
  );
  assert.deepEqual(points(scene, 'NodeResourcesFit'), { a: 90, b: 75 });
  const { spec } = makeClass('gpu', 'device.attributes["d.example.org"].kind == "nic"');
  scene.object(DEVICE_CLASSES, { metadata: { name: 'gpu' }, spec: { ...spec, extendedResourceName: GPU } });
  assert.deepEqual(points(scene, 'NodeResourcesFit'), { b: 0 });
});
