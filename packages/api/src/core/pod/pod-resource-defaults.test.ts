import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { formatQuantity } from '@binnacle/machinery';
import type { Draft } from '../../draft.ts';
import type { Container, Pod } from '../../generated/core-v1.ts';
import { defaultPod } from './defaults.ts';
import { containersTogether } from './pod-resource-defaults.ts';

function resourcesOf(spec: object): unknown {
  const pod = structuredClone({ metadata: {}, spec }) as unknown as Draft<Pod>;
  defaultPod(pod);
  return pod.spec?.resources;
}

const asking = (requests: object, limits?: object): object => ({
  name: 'c',
  resources: { requests, ...(limits && { limits }) },
});
const TWO = [asking({ cpu: '100m', memory: '64Mi' }), asking({ cpu: '150m' })];

// Provenance: upstream pkg/apis/core/v1/defaults.go, defaultPodRequests and defaultHugePagePodLimits.
describe('defaults of what a pod asks for as a whole', () => {
  const rows: [name: string, spec: object, expected: object | undefined][] = [
    ['nothing said', { containers: TWO }, undefined],
    ['requests only', { containers: TWO, resources: { requests: { cpu: '1' } } }, { requests: { cpu: '1' } }],
    [
      'a limit: what the containers request',
      { containers: TWO, resources: { limits: { cpu: '1' } } },
      { limits: { cpu: '1' }, requests: { cpu: '250m', memory: '64Mi' } },
    ],
    [
      'a limit that no container asks for',
      { containers: [{ name: 'c' }], resources: { limits: { memory: '1Gi' } } },
      { limits: { memory: '1Gi' }, requests: { memory: '1Gi' } },
    ],
    [
      'an init container that needs more',
      {
        containers: TWO,
        initContainers: [{ ...asking({ cpu: '50m' }), restartPolicy: 'Always' }, asking({ cpu: '400m' })],
        resources: { limits: { cpu: '1' } },
      },
      { limits: { cpu: '1' }, requests: { cpu: '450m', memory: '64Mi' } },
    ],
    [
      'huge pages of the containers',
      {
        containers: [asking({ 'hugepages-2Mi': '4Mi' }, { 'hugepages-2Mi': '4Mi' })],
        resources: { requests: { cpu: '1' } },
      },
      { limits: { 'hugepages-2Mi': '4Mi' }, requests: { cpu: '1', 'hugepages-2Mi': '4Mi' } },
    ],
  ];
  for (const [name, spec, expected] of rows) it(name, () => assert.deepEqual(resourcesOf(spec), expected));
});

const asks = (
  name: string,
  requests: { readonly [name: string]: string },
  more: Partial<Container> = {},
): Container => ({
  name,
  image: 'i',
  resources: { requests },
  ...more,
});
const sidecar = (name: string, requests: { readonly [name: string]: string }): Container =>
  asks(name, requests, { restartPolicy: 'Always' });

const rows: readonly [string, readonly Container[], readonly Container[], string][] = [
  ['nobody asks', [{ name: 'a', image: 'i' }], [], ''],
  [
    'containers together',
    [asks('a', { cpu: '1' }), asks('b', { cpu: '500m', memory: '1Gi' })],
    [],
    'cpu=1500m memory=1Gi',
  ],
  ['with sidecars', [asks('a', { cpu: '1' })], [sidecar('s', { cpu: '1' })], 'cpu=2'],
  ['an init container that needs more', [asks('a', { cpu: '1' })], [asks('i', { cpu: '3' })], 'cpu=3'],
  ['one that needs less', [asks('a', { cpu: '1' })], [asks('i', { cpu: '500m' })], 'cpu=1'],
  [
    'beside the sidecars before it alone',
    [asks('a', { cpu: '1' })],
    [asks('i', { cpu: '3' }), sidecar('s', { cpu: '1' }), asks('j', { cpu: '2500m' })],
    'cpu=3500m',
  ],
  ['named as what every object has', [asks('a', JSON.parse('{"__proto__":"1"}') as {})], [], '__proto__=1'],
];
for (const [name, containers, initContainers, wanted] of rows)
  test(`what containers ask for together: ${name}`, () => {
    const total = containersTogether({ containers, initContainers }, 'requests');
    assert.equal([...total].map(([resource, amount]) => `${resource}=${formatQuantity(amount)}`).join(' '), wanted);
    assert.equal(containersTogether({ containers, initContainers }, 'limits').size, 0);
  });
