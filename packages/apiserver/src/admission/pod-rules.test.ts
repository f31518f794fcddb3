import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { admissionOf, admissionTable, runAdmission } from '../testing/admission.ts';
import {
  alwaysDeny,
  alwaysPullImages,
  createsOrUpdatesPods,
  denyExternalIps,
  limitHardAntiAffinity,
} from './pod-rules.ts';

const metadata = { namespace: 'a', name: 'p' };
const podOf = (spec: object): object => ({ metadata, spec });

test('images are always pulled', async () => {
  const object = podOf({
    containers: [{ name: 'c', image: 'i', imagePullPolicy: 'Never' }],
    initContainers: [{ name: 'd', image: 'i' }],
    volumes: [{ name: 'v', image: { reference: 'r' } }, { name: 'w' }],
  });
  assert.equal(await runAdmission(alwaysPullImages, { operation: 'CREATE', resource: 'pods', object }), undefined);
  const { containers, initContainers, volumes } = (object as Pod).spec;
  assert.deepEqual(
    [containers[0]?.imagePullPolicy, initContainers?.[0]?.imagePullPolicy, volumes?.[0]?.image?.pullPolicy],
    ['Always', 'Always', 'Always'],
  );
});

test('what a later plugin set otherwise is refused, unless the pod has the images already', () => {
  const object = podOf({
    containers: [{ name: 'c', image: 'i', imagePullPolicy: 'Never' }],
    volumes: [{ name: 'v', image: { pullPolicy: 'IfNotPresent' } }],
  });
  assert.throws(() => alwaysPullImages.validate?.(admissionOf({ operation: 'CREATE', resource: 'pods', object })), {
    message:
      'pods "p" is forbidden: [spec.containers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always", spec.volumes[0].image.pullPolicy: Unsupported value: "IfNotPresent": supported values: "Always"]',
  });
  const before = podOf({ containers: [{ name: 'b', image: 'i' }] });
  void alwaysPullImages.validate?.(admissionOf({ operation: 'UPDATE', resource: 'pods', object, before }));
});

describe('anti-affinity', () => {
  const pod = (topologyKey: string): object =>
    podOf({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey }] } } });
  admissionTable(limitHardAntiAffinity, [
    ['of a node', { operation: 'CREATE', resource: 'pods', object: pod('kubernetes.io/hostname') }, undefined],
    ['none', { operation: 'CREATE', resource: 'pods', object: podOf({}) }, undefined],
    [
      'of a zone',
      { operation: 'CREATE', resource: 'pods', object: pod('zone') },
      'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
    ],
  ]);
});

describe('external addresses', () => {
  const service = (...externalIPs: readonly string[]): object => ({ metadata, spec: { externalIPs } });
  const DENIED = 'services "p" is forbidden: Use of external IPs is denied by admission control';
  const update = { operation: 'UPDATE', resource: 'services' } as const;
  admissionTable(denyExternalIps, [
    ['none', { operation: 'CREATE', resource: 'services', object: service() }, undefined],
    ['new', { operation: 'CREATE', resource: 'services', object: service('192.0.2.1') }, DENIED],
    ['kept', { ...update, object: service('192.0.2.1'), before: service('192.0.2.1', '192.0.2.2') }, undefined],
    ['added', { ...update, object: service('192.0.2.1', '192.0.2.2'), before: service('192.0.2.1') }, DENIED],
  ]);
});

describe('nothing passes', () => {
  admissionTable(alwaysDeny, [
    [
      'a deletion',
      { operation: 'DELETE', resource: 'secrets', before: { metadata } },
      'secrets "p" is forbidden: admission control is denying all modifications',
    ],
  ]);
});

describe('plugins about pods', () => {
  const rows: readonly (readonly [
    operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT',
    resource: string,
    handled: boolean,
  ])[] = [
    ['CREATE', 'pods', true],
    ['UPDATE', 'pods', true],
    ['DELETE', 'pods', false],
    ['CONNECT', 'pods', false],
    ['UPDATE', 'pods/status', false],
    ['UPDATE', 'pods/ephemeralcontainers', false],
    ['CREATE', 'pods.example.com', false],
    ['CREATE', 'podtemplates', false],
  ];
  for (const [operation, resource, handled] of rows) {
    test(`${operation} of ${resource}: ${handled ? 'theirs' : 'not theirs'}`, () => {
      const { info, subresource } = admissionOf({ operation, resource });
      assert.equal(createsOrUpdatesPods(operation, info, subresource), handled);
    });
  }
});
