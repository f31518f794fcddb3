import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { admissionTable, runAdmission } from '../testing/admission.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createLimitRanger } from './limit-ranger.ts';

const cache = new MemoryCache();
const plugin = createLimitRanger(cache);
cache.put({ group: '', resource: 'limitranges' }, {
  metadata: { namespace: 'a', name: 'l' },
  spec: {
    limits: [
      {
        type: 'Container',
        default: { cpu: '500m', memory: '64Mi' },
        defaultRequest: { cpu: '100m', memory: '64Mi' },
        min: { cpu: '50m' },
        max: { cpu: '1' },
        maxLimitRequestRatio: { cpu: '5' },
      },
      { type: 'Pod', max: { cpu: '1500m' } },
      { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } },
    ],
  },
} as never);

function pod(...cpus: readonly (readonly [request: string, limit: string] | undefined)[]): Pod {
  const containers = cpus.map((cpu, i) => ({
    name: `c${i}`,
    ...(cpu === undefined ? {} : { resources: { requests: { cpu: cpu[0] }, limits: { cpu: cpu[1] } } }),
  }));
  return { metadata: { namespace: 'a', name: 'p' }, spec: { containers } } as never;
}

const half = (name: string): object => ({ name, resources: { requests: { cpu: '800m' }, limits: { cpu: '800m' } } });

function specOf(spec: object): Pod {
  return { metadata: { namespace: 'a', name: 'p' }, spec: { containers: [half('c')], ...spec } } as never;
}

test('what is missing is filled, and said', async () => {
  const object = pod(undefined, ['200m', '400m']);
  assert.equal(await runAdmission(plugin, { operation: 'CREATE', resource: 'pods', object }), undefined);
  assert.deepEqual(
    object.spec.containers.map((one) => one.resources),
    [
      { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '500m', memory: '64Mi' } },
      { requests: { cpu: '200m', memory: '64Mi' }, limits: { cpu: '400m', memory: '64Mi' } },
    ],
  );
  assert.deepEqual(object.metadata.annotations, {
    'kubernetes.io/limit-ranger':
      'LimitRanger plugin set: cpu, memory request for container c0; cpu, memory limit for container c0; memory request for container c1; memory limit for container c1',
  });
});

test('a resource named like what every object has is a resource like any other', async () => {
  const named = (requests: string): object => ({
    metadata: { namespace: 'a', name: 'p' },
    spec: {
      containers: [
        { name: 'c', resources: { requests: JSON.parse(requests) as object, limits: { cpu: '200m', memory: '64Mi' } } },
      ],
    },
  });
  for (const name of ['constructor', 'toString', '__proto__']) {
    const object = named(`{"cpu":"200m","memory":"64Mi","${name}":"1"}`);
    assert.equal(await runAdmission(plugin, { operation: 'CREATE', resource: 'pods', object }), undefined, name);
  }
});

const claim = (storage: string): object => ({
  metadata: { namespace: 'a', name: 'c' },
  spec: { resources: { requests: { storage } } },
});

describe('bounds', () => {
  const create = (object: object): { operation: 'CREATE'; resource: string; object: object } => ({
    operation: 'CREATE',
    resource: 'pods',
    object,
  });
  admissionTable(plugin, [
    ['inside', create(pod(['200m', '1'])), undefined],
    [
      'too little',
      create(pod(['10m', '50m'])),
      'pods "p" is forbidden: minimum cpu usage per Container is 50m, but request is 10m',
    ],
    [
      'too much',
      create(pod(['500m', '2'])),
      'pods "p" is forbidden: [maximum cpu usage per Container is 1, but limit is 2, maximum cpu usage per Pod is 1500m, but limit is 2]',
    ],
    [
      'too far apart',
      create(pod(['100m', '1'])),
      'pods "p" is forbidden: cpu max limit to request ratio per Container is 5, but provided ratio is 10.000000',
    ],
    [
      'together too much',
      create(pod(['500m', '1'], ['500m', '1'])),
      'pods "p" is forbidden: maximum cpu usage per Pod is 1500m, but limit is 2',
    ],
    ['a claim inside', { operation: 'CREATE', resource: 'persistentvolumeclaims', object: claim('2Gi') }, undefined],
    [
      'a claim too big',
      { operation: 'CREATE', resource: 'persistentvolumeclaims', object: claim('3Gi') },
      'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
    ],
    [
      'a resize to too much',
      { operation: 'UPDATE', resource: 'pods/resize', object: pod(['500m', '2']), before: pod(['200m', '1']) },
      'pods "p" is forbidden: [maximum cpu usage per Container is 1, but limit is 2, maximum cpu usage per Pod is 1500m, but limit is 2]',
    ],
    [
      'a resize of what is being deleted',
      {
        operation: 'UPDATE',
        resource: 'pods/resize',
        object: pod(['500m', '2']),
        before: { ...pod(['200m', '1']), metadata: { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' } },
      },
      undefined,
    ],
    [
      'another update changes no resources',
      { operation: 'UPDATE', resource: 'pods', object: pod(['500m', '2']), before: pod(['200m', '1']) },
      undefined,
    ],
    [
      'too much as a whole',
      create(specOf({ resources: { requests: { cpu: '1' }, limits: { cpu: '8' } } })),
      'pods "p" is forbidden: maximum cpu usage per Pod is 1500m, but limit is 8',
    ],
    [
      'what pods cannot ask for as a whole does not count',
      create(specOf({ resources: { limits: { 'ephemeral-storage': '8' } } })),
      undefined,
    ],
    [
      'too much together with a sidecar',
      create(specOf({ initContainers: [{ ...half('side'), restartPolicy: 'Always' }, half('once')] })),
      'pods "p" is forbidden: maximum cpu usage per Pod is 1500m, but limit is 1600m',
    ],
    ['beside init containers that end', create(specOf({ initContainers: [half('once')] })), undefined],
    ['another namespace', { ...create(pod(['10m', '9'])), namespace: 'b' }, undefined],
  ]);
});
