import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Draft } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import { decideFamilies } from './ip-families.ts';
import type { Family } from './ip-families.ts';

const ONE: readonly Family[] = ['IPv4'];
const TWO: readonly Family[] = ['IPv4', 'IPv6'];

function service(spec: object): Draft<Service> {
  return { metadata: { name: 's' }, spec: { type: 'ClusterIP', selector: { a: 'b' }, ...spec } } as Draft<Service>;
}

describe('families and policy', () => {
  const rows: readonly (readonly [
    name: string,
    spec: object,
    cluster: readonly Family[],
    families: readonly string[],
    policy: string,
  ])[] = [
    ['nothing said', {}, TWO, ['IPv4'], 'SingleStack'],
    ['two preferred, one there', { ipFamilyPolicy: 'PreferDualStack' }, ONE, ['IPv4'], 'PreferDualStack'],
    ['two preferred, two there', { ipFamilyPolicy: 'PreferDualStack' }, TWO, ['IPv4', 'IPv6'], 'PreferDualStack'],
    [
      'the other one first',
      { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] },
      TWO,
      ['IPv6', 'IPv4'],
      'RequireDualStack',
    ],
    ['an address says its family', { clusterIP: 'fd00::1' }, TWO, ['IPv6'], 'SingleStack'],
    ['endpoints by hand', { clusterIP: 'None', selector: {} }, ONE, ['IPv4', 'IPv6'], 'RequireDualStack'],
    [
      'endpoints by hand, one family',
      { clusterIP: 'None', selector: {}, ipFamilyPolicy: 'SingleStack' },
      ONE,
      ['IPv4'],
      'SingleStack',
    ],
  ];
  for (const [name, spec, cluster, families, policy] of rows) {
    test(name, () => {
      const object = service(spec);
      assert.deepEqual(decideFamilies(object, undefined, cluster), []);
      assert.deepEqual([object.spec.ipFamilies, object.spec.ipFamilyPolicy], [families, policy]);
    });
  }
});

describe('what is refused', () => {
  const dual = {
    ipFamilyPolicy: 'RequireDualStack',
    clusterIPs: ['10.0.0.1', 'fd00::1'],
    clusterIP: '10.0.0.1',
    ipFamilies: ['IPv4', 'IPv6'],
  };
  const rows: readonly (readonly [
    name: string,
    spec: object,
    before: object | undefined,
    errors: readonly string[],
  ])[] = [
    [
      'two addresses of one family policy',
      { clusterIPs: ['10.0.0.1', 'fd00::1'], clusterIP: '10.0.0.1' },
      undefined,
      [
        "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified",
      ],
    ],
    [
      'the second address taken away',
      { ...dual, clusterIPs: ['10.0.0.1'] },
      dual,
      [
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be \'SingleStack\' to release the secondary cluster IP',
      ],
    ],
    [
      'the second family taken away',
      { ...dual, ipFamilies: ['IPv4'] },
      dual,
      [
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be \'SingleStack\' to release the secondary IP family',
      ],
    ],
  ];
  for (const [name, spec, before, errors] of rows) {
    test(name, () => {
      const found = decideFamilies(service(spec), before === undefined ? undefined : (service(before) as Service), TWO);
      assert.deepEqual(found.map(String), errors);
    });
  }
  test('an address of a family that the cluster has not', () => {
    assert.deepEqual(decideFamilies(service({ clusterIP: 'fd00::1' }), undefined, ONE).map(String), [
      'spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster',
    ]);
  });
});

test('going back to one family keeps the first address', () => {
  const before = service({
    ipFamilyPolicy: 'RequireDualStack',
    clusterIP: '10.0.0.1',
    clusterIPs: ['10.0.0.1', 'fd00::1'],
    ipFamilies: ['IPv4', 'IPv6'],
  });
  const after = structuredClone(before);
  after.spec.ipFamilyPolicy = 'SingleStack';
  assert.deepEqual(decideFamilies(after, before as Service, TWO), []);
  assert.deepEqual([after.spec.clusterIPs, after.spec.ipFamilies], [['10.0.0.1'], ['IPv4']]);
});
