import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, ContainerStatus, Pod } from '../generated/core-v1.ts';
import { shownAmounts } from './amounts.ts';
import { podAmounts } from './pod-amounts.ts';
import { selectsName } from './scope-selector.ts';

type Resources = NonNullable<Container['resources']>;
const container = (name: string, resources: Resources, more: Partial<Container> = {}): Container => ({
  name,
  image: 'i',
  resources,
  ...more,
});
const asks = (name: string, cpu: string, more: Partial<Container> = {}): Container =>
  container(name, { requests: { cpu } }, more);
const SIDECAR = { restartPolicy: 'Always' } as const;
const pod = (spec: Partial<Pod['spec']>, status: Pod['status'] = {}): Pod => ({
  metadata: {},
  spec: { containers: [], ...spec },
  status,
});
const status = (name: string, has: Resources, allocated?: string): ContainerStatus => ({
  name,
  image: 'i',
  imageID: '',
  ready: true,
  restartCount: 0,
  resources: has,
  ...(allocated === undefined ? {} : { allocatedResources: { cpu: allocated } }),
});
const of = (cpu: string): Resources => ({ requests: { cpu } });
const INFEASIBLE = [{ type: 'PodResizePending', status: 'True' as const, reason: 'Infeasible' }];

const ROWS: readonly [name: string, pod: Pod, requests: string, limits: string][] = [
  ['nothing', pod({}), '', ''],
  [
    'containers together, exactly',
    pod({ containers: [container('a', { requests: { cpu: '1n' }, limits: { memory: '1Gi' } }), asks('b', '2')] }),
    'cpu=2000000001n',
    'memory=1Gi',
  ],
  [
    'what starts alone, where it is more',
    pod({ containers: [asks('a', '1')], initContainers: [asks('i', '3'), asks('j', '2')] }),
    'cpu=3',
    '',
  ],
  [
    'sidecars beside containers',
    pod({ containers: [asks('a', '1')], initContainers: [asks('s', '1', SIDECAR)] }),
    'cpu=2',
    '',
  ],
  [
    'sidecars beside what starts after them, not before',
    pod({
      containers: [asks('a', '1')],
      initContainers: [asks('i', '3'), asks('s', '1', SIDECAR), asks('j', '2500m')],
    }),
    'cpu=3500m',
    '',
  ],
  [
    'of the pod as a whole',
    pod({
      containers: [container('a', { requests: { cpu: '1', 'x.io/gpu': '1' } })],
      resources: { requests: { cpu: '5' }, limits: { cpu: '6' } },
    }),
    'cpu=5,x.io/gpu=1',
    'cpu=6',
  ],
  [
    'of the pod as a whole: what pods cannot ask for does not count',
    pod({ containers: [asks('a', '1')], resources: { requests: { 'ephemeral-storage': '1Gi' } } }),
    'cpu=1',
    '',
  ],
  [
    'overhead',
    pod({ containers: [asks('a', '1')], overhead: { cpu: '100m', memory: '1Mi' } }),
    'cpu=1100m,memory=1Mi',
    '',
  ],
  [
    'overhead limits only what is limited',
    pod({
      containers: [container('a', { limits: { cpu: '1', memory: '0' } })],
      overhead: { cpu: '100m', memory: '1Mi' },
    }),
    'cpu=100m,memory=1Mi',
    'cpu=1100m,memory=0',
  ],
  [
    'a resize that makes it smaller is not done yet',
    pod({ containers: [asks('a', '1')] }, { containerStatuses: [status('a', of('2'), '3')] }),
    'cpu=3',
    '',
  ],
  [
    'a resize that makes it larger',
    pod({ containers: [asks('a', '4')] }, { containerStatuses: [status('a', of('2'), '3')] }),
    'cpu=4',
    '',
  ],
  [
    'a resize that will never be',
    pod({ containers: [asks('a', '4')] }, { containerStatuses: [status('a', of('2'), '2')], conditions: INFEASIBLE }),
    'cpu=2',
    '',
  ],
  [
    'a status of a container called as no other',
    pod({ containers: [asks('constructor', '1')] }, { containerStatuses: [status('toString', of('9'))] }),
    'cpu=1',
    '',
  ],
  [
    'a resize of a sidecar and of what ends counts',
    pod(
      { initContainers: [asks('i', '1'), asks('s', '1', SIDECAR)] },
      { initContainerStatuses: [status('i', of('9')), status('s', of('2'))] },
    ),
    'cpu=9',
    '',
  ],
  [
    'as a whole: a resize that makes it smaller is not done yet',
    pod(
      { resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } },
      { allocatedResources: { cpu: '3' }, resources: { requests: { cpu: '2' }, limits: { cpu: '4' } } },
    ),
    'cpu=3',
    'cpu=4',
  ],
  [
    'as a whole: a resize that will never be',
    pod(
      { resources: { requests: { cpu: '8' }, limits: { cpu: '8' } } },
      {
        allocatedResources: { cpu: '2' },
        resources: { requests: { cpu: '2' }, limits: { cpu: '4' } },
        conditions: INFEASIBLE,
      },
    ),
    'cpu=2',
    'cpu=4',
  ],
];
for (const [name, given, requests, limits] of ROWS)
  test(`what a pod takes: ${name}`, () => {
    assert.equal(shownAmounts(podAmounts(given, 'requests')), requests);
    assert.equal(shownAmounts(podAmounts(given, 'limits')), limits);
  });

for (const [name, operator, values, names, expected] of [
  ['there is one', 'Exists', undefined, ['a'], true],
  ['there is none', 'Exists', undefined, [], false],
  ['there should be none, and is none', 'DoesNotExist', undefined, [], true],
  ['there should be none', 'DoesNotExist', undefined, ['a'], false],
  ['among them', 'In', ['a', 'b'], ['b'], true],
  ['not among them', 'In', ['a'], ['b'], false],
  ['among them: there is none', 'In', ['a'], [], false],
  ['not one of them', 'NotIn', ['a'], ['b'], true],
  ['not one of them, but it is', 'NotIn', ['a'], ['a'], false],
  ['not one of them: there is none', 'NotIn', ['a'], [], true],
  ['one of several names', 'In', ['b'], ['a', 'b'], true],
  ['a name as of a prototype', 'In', ['constructor'], ['toString'], false],
] as const)
  test(`a scope selects: ${name}`, () => {
    const selector = { scopeName: 'PriorityClass' as const, operator, ...(values === undefined ? {} : { values }) };
    assert.equal(selectsName(selector, names), expected);
  });
