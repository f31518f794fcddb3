import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnsupportedError } from '../errors.ts';
import { testPod } from '../testing/node.ts';
import { fieldValue, resourceValue } from './field-path.ts';

const pod = testPod({ metadata: { labels: { b: '2', a: 'x"y' }, annotations: { 'a.b/c': 'd' } } });
const addresses = { podIPs: ['10.1.0.2'], hostIPs: ['192.0.2.1', 'fd00::1'] };

const fields: readonly [string, string][] = [
  ['metadata.name', 'web'],
  ['metadata.namespace', 'default'],
  ['metadata.uid', 'uid-web'],
  ['metadata.labels', 'a="x\\"y"\nb="2"'],
  ["metadata.annotations['a.b/c']", 'd'],
  ["metadata.labels['none']", ''],
  ['spec.nodeName', 'node-1'],
  ['status.hostIP', '192.0.2.1'],
  ['status.hostIPs', '192.0.2.1,fd00::1'],
  ['status.podIP', '10.1.0.2'],
];

for (const [path, wanted] of fields)
  test(`field ${path}`, () => assert.equal(fieldValue(pod, path, addresses), wanted));

test('other fields are refused', () =>
  assert.throws(() => fieldValue(pod, 'spec.priority', addresses), UnsupportedError));

const node = { milliCpu: 4000, memoryBytes: 8192, ephemeralStorageBytes: 100 };
const container = { name: 'c', resources: { limits: { cpu: '1500m', memory: '1Mi' }, requests: { cpu: '250m' } } };

const resources: readonly [string, string | undefined, string][] = [
  ['limits.cpu', undefined, '2'],
  ['limits.cpu', '1m', '1500'],
  ['requests.cpu', '1m', '250'],
  ['limits.memory', '1Ki', '1024'],
  ['requests.memory', undefined, '0'],
  ['limits.ephemeral-storage', undefined, '100'],
];

for (const [resource, divisor, wanted] of resources) {
  test(`resource ${resource} by ${divisor ?? 'one'}`, () => {
    assert.equal(resourceValue(container, { resource, ...(divisor === undefined ? {} : { divisor }) }, node), wanted);
  });
}
