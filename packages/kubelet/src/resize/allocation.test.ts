import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceRequirements } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { allocationOf, asksOtherwise, isSameCompute, withAllocation } from './allocation.ts';

const ONCE: ResourceRequirements = { requests: { cpu: '9' } };

const pod = (main: ResourceRequirements, sidecar: ResourceRequirements = {}, once = ONCE) =>
  testPod({
    container: { resources: main },
    spec: {
      initContainers: [
        { name: 'side', image: 'i', restartPolicy: 'Always', resources: sidecar },
        { name: 'once', image: 'i', resources: once },
      ],
    },
  });

test('the same amount may be written in other words', () => {
  const given = allocationOf(pod({ requests: { cpu: '500m', memory: '1Gi' } }));
  assert.equal(asksOtherwise(pod({ requests: { cpu: '0.5', memory: '1024Mi' } }), given), false);
});

const rows: readonly [string, ResourceRequirements, ResourceRequirements, ResourceRequirements?][] = [
  ['a request of CPU', { requests: { cpu: '1' } }, {}],
  ['a limit of CPU', { limits: { cpu: '1' } }, {}],
  ['a request of memory', { requests: { memory: '1' } }, {}],
  ['a limit of a sidecar', {}, { limits: { memory: '1' } }],
  ['a request of an init container that ends', {}, {}, { requests: { cpu: '8' } }],
];
for (const [name, main, sidecar, once] of rows)
  test(`something else is asked for: ${name}`, () => {
    assert.equal(asksOtherwise(pod(main, sidecar, once), allocationOf(pod({}))), true);
    const { spec } = withAllocation(pod(main, sidecar, once), allocationOf(pod({})));
    const given = [...(spec.initContainers ?? []), ...spec.containers].map(({ resources }) => resources);
    assert.deepEqual(given, [{}, ONCE, {}]);
  });

const compute: readonly [string, ResourceRequirements | undefined, ResourceRequirements | undefined, boolean][] = [
  ['none and none', undefined, {}, true],
  ['none and zero', {}, { requests: { cpu: '0', memory: '0' } }, true],
  ['other words', { limits: { cpu: '1500m', memory: '1Gi' } }, { limits: { cpu: '1.5', memory: '1073741824' } }, true],
  ['CPU beyond a thousandth is rounded up', { requests: { cpu: '1u' } }, { requests: { cpu: '1m' } }, true],
  ['a request of CPU', { requests: { cpu: '1' } }, { requests: { cpu: '1001m' } }, false],
  ['a limit of CPU', { limits: { cpu: '1' } }, { requests: { cpu: '1' } }, false],
  ['a request of memory', { requests: { memory: '1' } }, { requests: { memory: '2' } }, false],
  ['a limit of memory', { limits: { memory: '1k' } }, { limits: { memory: '1Ki' } }, false],
  ['what cannot be resized does not count', { requests: { 'x.io/gpu': '1' } }, { requests: { 'x.io/gpu': '2' } }, true],
];
for (const [name, a, b, expected] of compute)
  test(`the same to compute with: ${name}`, () => {
    assert.equal(isSameCompute(a, b), expected);
    assert.equal(isSameCompute(b, a), expected);
  });
