import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, PodSpec } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { containersRequests, podRequests } from './requests.ts';

const asking = (name: string, cpu: string, memory: string, more: Partial<Container> = {}): Container => ({
  name,
  resources: { requests: { cpu, memory } },
  ...more,
});
const SIDECAR = { restartPolicy: 'Always' } as const;
const whole = { requests: { cpu: '3', memory: '90' } };

const rows: readonly [string, Partial<PodSpec>, byContainers: readonly number[], byPod: readonly number[]][] = [
  ['nothing asked for', { containers: [{ name: 'a' }] }, [0, 0], [0, 0]],
  ['containers together', { containers: [asking('a', '1', '10'), asking('b', '500m', '20')] }, [1500, 30], [1500, 30]],
  [
    'an init container that asks for more',
    { initContainers: [asking('i', '2', '5')], containers: [asking('a', '1', '10')] },
    [2000, 10],
    [2000, 10],
  ],
  [
    'a sidecar, beside the others and beside the init container behind it',
    {
      initContainers: [asking('s', '1', '10', SIDECAR), asking('i', '2', '5')],
      containers: [asking('a', '1', '10')],
    },
    [3000, 20],
    [3000, 20],
  ],
  [
    'what running it costs',
    { containers: [asking('a', '1', '10')], overhead: { cpu: '1', memory: '1' } },
    [1000, 10],
    [2000, 11],
  ],
  ['the pod as a whole', { containers: [asking('a', '1', '10')], resources: whole }, [1000, 10], [3000, 90]],
];

for (const [name, spec, byContainers, byPod] of rows)
  test(`what a pod asks for: ${name}`, () => {
    const pod = testPod({ spec });
    const told = [containersRequests(pod), podRequests(pod)].map(({ cpu, memory }) => [cpu, memory]);
    assert.deepEqual(told, [byContainers, byPod]);
  });
