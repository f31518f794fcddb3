import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { podSummary } from './pod-summary.ts';

const metadata = { name: 'p', namespace: 'n', uid: 'u', resourceVersion: '1', annotations: { long: 'x' } };
const requests = (cpu: string, memory: string) => ({ resources: { requests: { cpu, memory } } });
const pod = (spec: object, status: object = {}) =>
  podSummary({ apiVersion: 'v1', kind: 'Pod', metadata, spec, status });

const ROWS: readonly (readonly [what: string, spec: object, milliCpu: number, mebibytes: number])[] = [
  ['nothing asked', { containers: [{}] }, 0, 0],
  ['containers together', { containers: [requests('100m', '1Mi'), requests('1', '2Mi')] }, 1100, 3],
  [
    'the largest that runs before',
    { containers: [requests('1', '1Mi')], initContainers: [requests('2', '1Mi')] },
    2000,
    1,
  ],
  [
    'sidecars run along',
    {
      containers: [requests('1', '1Mi')],
      initContainers: [{ ...requests('1', '1Mi'), restartPolicy: 'Always' }, requests('500m', '9Mi')],
    },
    2000,
    10,
  ],
  ['overhead', { containers: [requests('1', '1Mi')], overhead: { cpu: '250m', memory: '1Mi' } }, 1250, 2],
  ['the pod as a whole', { containers: [requests('1', '1Mi')], ...requests('500m', '4Mi') }, 500, 4],
  [
    'of the pod as a whole one of the two, and overhead',
    {
      containers: [requests('1', '1Mi')],
      resources: { requests: { memory: '4Mi' } },
      overhead: { cpu: '250m', memory: '1Mi' },
    },
    1250,
    5,
  ],
  ['what is no amount', { containers: [requests('much', '1Mi')] }, 0, 1],
];
for (const [what, spec, milliCpu, mebibytes] of ROWS) {
  test(what, () => deepEqual(pod(spec).requests, { milliCpu, memoryBytes: mebibytes * 2 ** 20 }));
}

test('a pod that is over asks for nothing, one that goes is said to go, and nothing else is kept', () => {
  const over = pod({ containers: [requests('1', '1Mi')], nodeName: 'a' }, { phase: 'Succeeded' });
  deepEqual(over, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', uid: 'u', resourceVersion: '1' },
    phase: 'Succeeded',
    isReady: false,
    node: 'a',
    requests: { milliCpu: 0, memoryBytes: 0 },
  });
  const going = podSummary({ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, deletionTimestamp: 'x' } });
  deepEqual([going.phase, going.node], ['Terminating', '']);
});
