import type { Scale } from '@binnacle/api/autoscaling/v1';
import type { KubeObject } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { scaleByPaths } from './scale-paths.ts';

const view = scaleByPaths({
  specReplicasPath: '.spec.crew.size',
  statusReplicasPath: '.status.aboard',
  labelSelectorPath: '.status.selector',
});

function boat(more: object): KubeObject {
  return { metadata: { name: 'a', uid: 'u', resourceVersion: '7' }, ...more } as unknown as KubeObject;
}

test('reads what the paths name', () => {
  const scale = view.read(boat({ spec: { crew: { size: 3 } }, status: { aboard: 2, selector: 'a=b' } }));
  assert.deepEqual([scale.spec, scale.status], [{ replicas: 3 }, { replicas: 2, selector: 'a=b' }]);
  assert.equal(scale.metadata.resourceVersion, '7');
});

test('a missing status counts as none, a missing spec is an error', () => {
  assert.deepEqual(view.read(boat({ spec: { crew: { size: 0 } } })).status, { replicas: 0 });
  assert.throws(() => view.read(boat({ spec: {} })), /the spec replicas field ".spec.crew.size" does not exist/);
});

test('writes one value and shares the rest', () => {
  const before = boat({ spec: { crew: { size: 3, captain: 'x' } }, other: {} });
  const after = view.write(before, { metadata: {}, spec: { replicas: 5 } } as unknown as Scale) as unknown as {
    spec: object;
    other: object;
  };
  assert.deepEqual(after.spec, { crew: { size: 5, captain: 'x' } });
  assert.equal(after.other, (before as unknown as { other: object }).other);
  assert.deepEqual((before as unknown as { spec: object }).spec, { crew: { size: 3, captain: 'x' } });
});

test('a number below zero is none, and a version that is not named is the one that is there', () => {
  const before = { ...boat({ spec: { crew: { size: 3 } } }), apiVersion: 'd.io/v1', kind: 'Boat' } as KubeObject;
  const scale = (replicas: number, metadata: object = {}): Scale =>
    ({ metadata, spec: { replicas } }) as unknown as Scale;
  const why = 'Boat.d.io "a" is invalid: .spec.crew.size: Invalid value: -1: should be a non-negative integer';
  assert.throws(() => view.write(before, scale(-1)), { message: why });
  assert.equal(view.write(before, scale(1)).metadata.resourceVersion, '7');
  assert.equal(view.write(before, scale(1, { resourceVersion: '6', uid: 'v' })).metadata.resourceVersion, '6');
});
