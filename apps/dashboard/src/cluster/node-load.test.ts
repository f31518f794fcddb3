import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { bytesText, coresText, countPhases, nodeLoads } from './node-load.ts';
import type { PodSummary } from './pod-summary.ts';

const pod = (name: string, node: string, phase = 'Running'): PodSummary => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, resourceVersion: '1' }, phase, isReady: true, node },
  requests: { milliCpu: 500, memoryBytes: 2 ** 20 },
});
const NODES = ['a', 'constructor'].map((name, at) => ({
  ...{ apiVersion: 'v1', kind: 'Node', metadata: { name, resourceVersion: '1' } },
  spec: { unschedulable: at === 1 },
  status: { allocatable: { cpu: '4', memory: '1Gi', pods: '110' }, conditions: [{ type: 'Ready', status: 'True' }] },
}));
const PODS = [pod('p', 'a'), pod('q', 'a'), pod('r', '', 'Pending')];

test('what is asked of each node, and what it uses', () => {
  const loads = nodeLoads(NODES, PODS, new Map([['a', { milliCpu: 100, memoryBytes: 5 }]]));
  deepEqual(
    loads.map(({ name, requests, usage, pods, isCordoned, podsMax }) => [
      ...[name, requests.milliCpu, usage?.milliCpu, pods.length, isCordoned, podsMax],
    ]),
    [
      ['a', 1000, 100, 2, false, 110],
      ['constructor', 0, undefined, 0, true, 110],
    ],
  );
});

test('phases and amounts', () => {
  deepEqual(countPhases(PODS), [
    ['Running', 2],
    ['Pending', 1],
  ]);
  equal(coresText(1500), '1.5');
  equal([0, 2 ** 19, 2 ** 29, 3.5 * 2 ** 30].map(bytesText).join(), '0 MiB,0.5 MiB,512 MiB,3.5 GiB');
});
