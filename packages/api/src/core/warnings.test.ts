import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceQuota, ServiceAccount } from '../generated/core-v1.ts';
import { endpointsWarnings, nodeWarnings, quotaWarnings, serviceAccountWarnings } from './warnings.ts';

const MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets';
const account = (annotations?: { readonly [key: string]: string }): ServiceAccount => ({
  metadata: annotations === undefined ? {} : { annotations },
});
const DEPRECATED =
  'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
for (const [name, after, before, warned] of [
  ['without it', account(), undefined, false],
  ['new, with it', account({ [MOUNTABLE]: 'true' }), undefined, true],
  ['new, with it, whatever it says', account({ [MOUNTABLE]: '' }), undefined, true],
  ['it comes', account({ [MOUNTABLE]: 'true' }), account(), true],
  ['it was there', account({ [MOUNTABLE]: 'true' }), account({ [MOUNTABLE]: 'false' }), false],
  ['it goes', account(), account({ [MOUNTABLE]: 'true' }), false],
] as const)
  test(`a service account’s warning: ${name}`, () =>
    assert.deepEqual(serviceAccountWarnings(after, before), warned ? [DEPRECATED] : []));

const quota = (hard?: { readonly [name: string]: string }): ResourceQuota => ({
  metadata: {},
  spec: hard === undefined ? {} : { hard },
});
const QUOTAS: readonly [
  name: string,
  hard: { readonly [name: string]: string } | undefined,
  warnings: readonly string[],
][] = [
  ['nothing', undefined, []],
  ['a request alone', { 'requests.cpu': '2' }, []],
  ['a limit alone', { 'limits.cpu': '2' }, []],
  ['as much', { 'requests.cpu': '1', 'limits.cpu': '1000m' }, []],
  ['more', { 'requests.cpu': '2', 'limits.cpu': '1500m' }, ['requests.cpu (2) should be less than limits.cpu (1500m)']],
  [
    'more, by the short name',
    { memory: '2Gi', 'limits.memory': '1Gi' },
    ['memory (2Gi) should be less than limits.memory (1Gi)'],
  ],
  ['the long name comes first', { cpu: '9', 'requests.cpu': '1', 'limits.cpu': '1' }, []],
  ['storage has no short name', { 'ephemeral-storage': '2Gi', 'limits.ephemeral-storage': '1Gi' }, []],
  [
    'each of them, in order',
    {
      'requests.ephemeral-storage': '2',
      'limits.ephemeral-storage': '1',
      'requests.memory': '2',
      'limits.memory': '1',
      cpu: '2',
      'limits.cpu': '1',
    },
    [
      'cpu (2) should be less than limits.cpu (1)',
      'requests.memory (2) should be less than limits.memory (1)',
      'requests.ephemeral-storage (2) should be less than limits.ephemeral-storage (1)',
    ],
  ],
  ['of others nothing is said', { 'requests.example.com/gpu': '2', 'limits.example.com/gpu': '1' }, []],
];
for (const [name, hard, warnings] of QUOTAS)
  test(`a quota’s warnings: ${name}`, () =>
    assert.deepEqual(
      quotaWarnings(quota(hard)),
      warnings.map((text) => `ResourceQuota ${text}`),
    ));
test('a quota’s warnings: a change has none', () => {
  const bad = quota({ 'requests.cpu': '2', 'limits.cpu': '1' });
  assert.deepEqual(quotaWarnings(bad, quota()), []);
});

test('odd addresses of hand-made Endpoints and of nodes are told with their places', () => {
  const endpoints = (labels = {}) => ({
    metadata: { labels },
    subsets: [{ addresses: [{ ip: '10.0.0.1' }], notReadyAddresses: [{ ip: '010.0.0.1' }] }],
  });
  const [warning = '', ...others] = endpointsWarnings(endpoints());
  assert.match(warning, /^subsets\[0\]\.notReadyAddresses\[0\]\.ip: non-standard IP address "010\.0\.0\.1"/);
  assert.deepEqual(others, []);
  assert.deepEqual(endpointsWarnings(endpoints({ 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' })), []);
  const node = { metadata: {}, spec: { externalID: 'x', podCIDRs: ['10.0.0.1/24'] } };
  const told = nodeWarnings(node);
  assert.equal(told[0], 'spec.externalID: this field is deprecated, and is unused by Kubernetes');
  assert.match(told[1] ?? '', /^spec\.podCIDRs\[0\]: CIDR value "10\.0\.0\.1\/24" is ambiguous/);
});
