import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { RESIZE } from './parts.ts';

const MAIN = { name: 'main', image: 'a' };
const SIDE = { name: 'side', image: 'b', restartPolicy: 'Always' };
const MORE = { requests: { cpu: '2' } };

const pod = (spec: object, metadata: object = {}): KubeObject =>
  ({ metadata: { name: 'p', uid: 'u', labels: { a: 'b' }, ...metadata }, spec }) as unknown as KubeObject;

function keep(wanted: object, before: object): unknown {
  const object = pod(wanted, { labels: {} });
  assert.ok(RESIZE !== 'status');
  RESIZE.keep(object, pod(before));
  assert.deepEqual(object.metadata.labels, { a: 'b' });
  return (object as { spec?: unknown }).spec;
}

const before = { nodeName: 'n', containers: [MAIN], initContainers: [SIDE] };

test('resources of containers and sidecars are taken over, and nothing else', () => {
  const wanted = {
    nodeName: 'other',
    containers: [{ ...MAIN, image: 'evil', resources: MORE }],
    initContainers: [{ ...SIDE, resources: MORE }],
  };
  assert.deepEqual(keep(wanted, before), {
    nodeName: 'n',
    containers: [{ ...MAIN, resources: MORE }],
    initContainers: [{ ...SIDE, resources: MORE }],
  });
});

test('resources of the pod as a whole are taken over', () => {
  assert.deepEqual(keep({ ...before, resources: MORE }, before), { ...before, resources: MORE });
  assert.deepEqual(keep(before, { ...before, resources: MORE }), before);
});

test('what is left out is taken away, for validation to refuse', () => {
  const had = { ...before, containers: [{ ...MAIN, resources: MORE }] };
  assert.deepEqual(keep(before, had), before);
});

test('another policy, and other containers, are there for validation to refuse', () => {
  const policy = [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }];
  const wanted = { ...before, containers: [{ ...MAIN, resizePolicy: policy }] };
  assert.deepEqual(keep(wanted, before), wanted);
  const more = { ...before, containers: [MAIN, { name: 'new', image: 'c' }] };
  assert.deepEqual(keep(more, before), more);
});
