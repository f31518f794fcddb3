import type { Service } from '@binnacle/api/core/v1';
import assert from 'node:assert/strict';
import test from 'node:test';
import { SERVICE_STRATEGY } from './strategy.ts';

const HELD = { type: 'ClusterIP', clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'] };

const UPDATES: readonly [name: string, spec: object, clusterIP: string | undefined, clusterIPs: unknown][] = [
  ['left out', {}, '10.0.0.1', ['10.0.0.1']],
  ['only the list left out', { clusterIP: '10.0.0.1' }, '10.0.0.1', ['10.0.0.1']],
  ['only the single one left out', { clusterIPs: ['10.0.0.1'] }, '10.0.0.1', ['10.0.0.1']],
  // A patch of clusterIP: the list follows, so that validation can refuse the change.
  ['the single one changed', { clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.1'] }, '10.0.0.2', ['10.0.0.2']],
  ['the single one changed, no list', { clusterIP: '10.0.0.2' }, '10.0.0.2', ['10.0.0.2']],
  ['both changed', { clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.3'] }, '10.0.0.2', ['10.0.0.3']],
  ['ExternalName keeps nothing', { type: 'ExternalName' }, undefined, undefined],
];

for (const [name, spec, clusterIP, clusterIPs] of UPDATES) {
  test(`addresses in an update: ${name}`, () => {
    const object = { metadata: { name: 's' }, spec: { type: 'ClusterIP', ...spec } } as unknown as Service;
    SERVICE_STRATEGY.prepareForUpdate?.(object, { metadata: { name: 's' }, spec: HELD } as unknown as Service);
    assert.deepEqual([object.spec.clusterIP, object.spec.clusterIPs], [clusterIP, clusterIPs]);
  });
}
