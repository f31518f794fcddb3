import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceSpec } from '../../generated/core-v1.ts';
import { isExternallyAccessible } from './defaults.ts';
import { isHeadless, needsHealthCheck } from './questions.ts';

const headless: readonly [name: string, spec: ServiceSpec, expected: boolean][] = [
  ['nothing is said', {}, false],
  ['None', { clusterIP: 'None' }, true],
  ['None twice', { clusterIP: 'None', clusterIPs: ['None'] }, true],
  ['in the list alone', { clusterIPs: ['None'] }, true],
  ['an address', { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] }, false],
  ['an address and an empty list', { clusterIP: '10.0.0.1', clusterIPs: [] }, false],
  ['none is given yet', { clusterIP: '' }, false],
  ['in another case', { clusterIP: 'none' }, false],
  ['two of which one is None', { clusterIPs: ['None', 'fd00::1'] }, false],
];
for (const [name, spec, expected] of headless)
  test(`headless: ${name}`, () => assert.equal(isHeadless({ metadata: {}, spec }), expected));
test('headless: no spec', () => assert.equal(isHeadless({ metadata: {} } as never), false));

const outside: readonly [name: string, spec: ServiceSpec, expected: boolean][] = [
  ['inside only', { type: 'ClusterIP' }, false],
  ['inside, with an address of the outside', { type: 'ClusterIP', externalIPs: ['192.0.2.1'] }, true],
  ['inside, with a list of none', { type: 'ClusterIP', externalIPs: [] }, false],
  ['a port of the nodes', { type: 'NodePort' }, true],
  ['a load balancer', { type: 'LoadBalancer' }, true],
  ['another name', { type: 'ExternalName', externalIPs: ['192.0.2.1'] }, false],
  ['no type', {}, false],
];
for (const [name, spec, expected] of outside)
  test(`reached from outside: ${name}`, () => assert.equal(isExternallyAccessible(spec), expected));

test('a balancer asks nodes only where traffic stays on them', () => {
  const of = (spec: ServiceSpec): boolean => needsHealthCheck({ metadata: {}, spec });
  assert.equal(of({ type: 'LoadBalancer', externalTrafficPolicy: 'Local' }), true);
  assert.equal(of({ type: 'LoadBalancer', externalTrafficPolicy: 'Cluster' }), false);
  assert.equal(of({ type: 'NodePort', externalTrafficPolicy: 'Local' }), false);
});
