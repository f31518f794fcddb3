import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, Pod } from '../../generated/core-v1.ts';
import { heldRequests, placedPodRequests, podRequests } from './requests.ts';

const container = (cpu: string | undefined, more: Partial<Container> = {}): Container => ({
  name: 'c',
  ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }),
  ...more,
});
const pod = (spec: Partial<Pod['spec']>): Pod => ({ metadata: {}, spec: { containers: [], ...spec } });
const sidecar: Partial<Container> = { restartPolicy: 'Always' };

const rows: { name: string; pod: Pod; cpu: number }[] = [
  { name: 'containers add up', pod: pod({ containers: [container('100m'), container('1')] }), cpu: 1100 },
  {
    name: 'the hungriest init container counts when it needs more',
    pod: pod({ containers: [container('100m')], initContainers: [container('2'), container('1')] }),
    cpu: 2000,
  },
  {
    name: 'sidecars run beside the containers',
    pod: pod({ containers: [container('100m')], initContainers: [container('200m', sidecar)] }),
    cpu: 300,
  },
  {
    name: 'an init container runs beside the sidecars before it, not those after it',
    pod: pod({
      containers: [container('100m')],
      initContainers: [container('200m', sidecar), container('1'), container('300m', sidecar)],
    }),
    cpu: 1200,
  },
  {
    name: 'pod-level requests win',
    pod: pod({ containers: [container('3')], resources: { requests: { cpu: '2' } } }),
    cpu: 2000,
  },
  { name: 'overhead comes on top', pod: pod({ containers: [container('1')], overhead: { cpu: '250m' } }), cpu: 1250 },
];

for (const row of rows) {
  test(row.name, () => assert.equal(podRequests(row.pod).get('cpu'), row.cpu));
}

test('stand-ins fill what a container leaves open', () => {
  const two = pod({ containers: [container('1'), container(undefined)] });
  const amounts = podRequests(two, { cpu: 100, memory: 200 });
  assert.deepEqual([amounts.get('cpu'), amounts.get('memory')], [1100, 400]);
});

const resized = (asked: string, given: string, has: string, reason?: string): Pod => ({
  ...pod({ containers: [container(asked)] }),
  status: {
    containerStatuses: [
      {
        name: 'c',
        ready: true,
        restartCount: 0,
        image: '',
        imageID: '',
        allocatedResources: { cpu: given },
        resources: { requests: { cpu: has } },
      },
    ],
    conditions: reason === undefined ? [] : [{ type: 'PodResizePending', status: 'True', reason }],
  },
});

for (const [name, given, cpu] of [
  ['nobody resizes it', resized('1', '1', '1'), 1000],
  ['it waits for more', resized('3', '1', '1', 'Deferred'), 3000],
  ['it will never have more', resized('3', '1', '1', 'Infeasible'), 1000],
  ['it gives back, and has it still', resized('1', '1', '2'), 2000],
  ['it was given more, and has it not yet', resized('2', '2', '1'), 2000],
] as const)
  test(`a placed pod takes: ${name}`, () => {
    assert.equal(placedPodRequests(given).get('cpu'), cpu);
  });

test('a placed pod takes what an init container has still, while a resize of it waits with another', () => {
  const { spec, status } = resized('9', '1', '1', 'Infeasible');
  const once = { ...container('1'), name: 'once' };
  const told = { name: 'once', ready: false, restartCount: 0, image: '', imageID: '' };
  const initContainerStatuses = [{ ...told, allocatedResources: { cpu: '4' }, resources: { requests: { cpu: '4' } } }];
  const given = { ...pod({ ...spec, initContainers: [once] }), status: { ...status, initContainerStatuses } };
  assert.equal(placedPodRequests(given).get('cpu'), 4000);
});

const resizedWhole = (asked: string, given: string, has: string, reason?: string): Pod => {
  const { spec, status } = resized('1', '1', '1', reason);
  const told = { allocatedResources: { cpu: given }, resources: { requests: { cpu: has } } };
  return { ...pod({ ...spec, resources: { requests: { cpu: asked } } }), status: { ...status, ...told } };
};

for (const [name, given, cpu] of [
  ['nobody resizes it', resizedWhole('4', '4', '4'), 4000],
  ['it waits for more', resizedWhole('6', '4', '4', 'Deferred'), 6000],
  ['it will never have more', resizedWhole('6', '4', '4', 'Infeasible'), 4000],
  ['it gives back, and has it still', resizedWhole('2', '2', '4'), 4000],
] as const)
  test(`a placed pod takes as a whole: ${name}`, () => {
    assert.equal(placedPodRequests(given).get('cpu'), cpu);
  });

test('a pod that nobody resizes holds nothing else than it asks for', () => {
  assert.equal(heldRequests(resized('1', '1', '1')), undefined);
  assert.equal(heldRequests(pod({ containers: [container('1')] })), undefined);
});
