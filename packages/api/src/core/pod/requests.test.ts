import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, Pod } from '../../generated/core-v1.ts';
import { podRequests } from './requests.ts';

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
