import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Endpoints, Pod, Service } from '@binnacle/api/core/v1';
import { endpointsFor } from './wiring.ts';

const CHANGE_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';
const OVER = 'endpoints.kubernetes.io/over-capacity';
const HEADLESS = 'service.kubernetes.io/headless';
const MANAGED = { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' };
const service = (labels?: { readonly [key: string]: string }, clusterIP = '10.96.0.7'): Service => ({
  metadata: { name: 'web', namespace: 'ns', ...(labels === undefined ? {} : { labels }) },
  spec: { clusterIP, ipFamilies: ['IPv4'], ports: [{ port: 80, targetPort: 8080 }] },
});
const pods = (count: number): Pod[] =>
  Array.from({ length: count }, (_, n) => ({
    metadata: { name: `p${n}`, namespace: 'ns', uid: `u${n}` },
    spec: { containers: [] },
    status: { podIPs: [{ ip: `10.0.${n >> 8}.${n & 255}` }], conditions: [{ type: 'Ready', status: 'True' }] },
  }));
const made = (
  of: Service,
  seen: { readonly before?: Endpoints; readonly members?: readonly Pod[]; readonly changedAt?: string } = {},
): Endpoints => endpointsFor(of, { before: seen.before, members: seen.members ?? [], changedAt: seen.changedAt });

for (const [name, of, labels] of [
  ['of the service', service({ team: 'a', constructor: 'c' }), { team: 'a', constructor: 'c', ...MANAGED }],
  ['none but the manager’s', service(), MANAGED],
  ['headless', service({}, 'None'), { [HEADLESS]: '', ...MANAGED }],
  ['headless by its own word only', service({ [HEADLESS]: 'x' }), MANAGED],
  ['managed by another by its own word', service({ 'endpoints.kubernetes.io/managed-by': 'me' }), MANAGED],
] as const)
  test(`labels of Endpoints: ${name}`, () => assert.deepEqual(made(of).metadata.labels, labels));

test('called as the service, with what it serves', () => {
  const { metadata, subsets } = made(service(), { members: pods(1), changedAt: 't' });
  assert.deepEqual([metadata.namespace, metadata.name], ['ns', 'web']);
  assert.deepEqual(metadata.annotations, { [CHANGE_TIME]: 't' });
  assert.deepEqual([subsets?.length, subsets?.[0]?.addresses?.[0]?.ip], [1, '10.0.0.0']);
});

const right = made(service(), { members: pods(2), changedAt: 't' });
for (const [name, of, members, before, same] of [
  ['it is right', service(), pods(2), right, true],
  [
    'right, whatever others note on it',
    service(),
    pods(2),
    { ...right, metadata: { ...right.metadata, annotations: { note: 'n' } } },
    true,
  ],
  ['a pod went', service(), pods(1), right, false],
  ['a label came', service({ a: 'b' }), pods(2), right, false],
  [
    'a label that it should not have',
    service(),
    pods(2),
    { ...right, metadata: { ...right.metadata, labels: { ...MANAGED, a: 'b' } } },
    false,
  ],
  [
    'called full and is not',
    service(),
    pods(2),
    { ...right, metadata: { ...right.metadata, annotations: { [OVER]: 'truncated' } } },
    false,
  ],
] as const)
  test(`Endpoints are written: ${name}`, () => {
    const after = made(of, { before, members });
    assert.equal(after === before, same);
    if (!same) assert.equal(after.metadata.annotations?.[CHANGE_TIME], undefined, 'no time is no word of an old one');
  });

test('what is cut says so, and what others noted stays', () => {
  const before: Endpoints = {
    metadata: { resourceVersion: '7', annotations: { note: 'n', [CHANGE_TIME]: 'old' } },
    subsets: [],
  };
  const after = made(service(), { before, members: pods(1001), changedAt: 'new' });
  assert.equal(after.subsets?.[0]?.addresses?.length, 1000);
  assert.deepEqual(after.metadata.annotations, { note: 'n', [CHANGE_TIME]: 'new', [OVER]: 'truncated' });
  assert.equal(after.metadata.resourceVersion, '7');
  const back = made(service(), { before: after, members: pods(1000) });
  assert.deepEqual(back.metadata.annotations, { note: 'n' });
});
