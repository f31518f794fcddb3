import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeSelector, NodeSelectorTerm } from '@binnacle/api/core/v1';
import type { DeviceClass } from '@binnacle/api/resource/v1';
import { parseQuantity } from '@binnacle/machinery';
import { makeClaim, makeClass } from '../testing/devices.ts';
import type { ChosenDevice } from './allocate.ts';
import { allocationResult } from './allocation-result.ts';
import type { Reach } from './pools.ts';
import type { Wish } from './requests.ts';

const AT = '2026-01-01T00:00:00Z';
const opaque = (driver: string) => ({ opaque: { driver, parameters: {} } });
const GPU: DeviceClass = { ...makeClass('gpu'), spec: { config: [opaque('class')] } };

function chosen(name: string, more: Partial<Wish> = {}, reach: Reach = {}): ChosenDevice {
  const wish: Wish = {
    name,
    className: 'any',
    class: makeClass('any'),
    expressions: [],
    count: 1,
    adminAccess: false,
    tolerations: [],
    capacity: new Map(),
    ...more,
  };
  return { wish, device: { id: `d/p/${name}`, driver: 'd', pool: 'p', device: { name: `dev-${name}` }, reach } };
}
let shares = 0;
const result = (all: readonly ChosenDevice[], config: NonNullable<Parameters<typeof makeClaim>[2]>['config'] = []) =>
  allocationResult(makeClaim('c', [], { config }), all, {
    node: 'here',
    allocationTimestamp: AT,
    newShareId: () => `share-${++shares}`,
  });

test('what was chosen for what, and when', () => {
  const toleration = { key: 'broken', operator: 'Exists' } as const;
  assert.deepEqual(result([chosen('a'), chosen('b', { adminAccess: true, tolerations: [toleration] })]), {
    devices: {
      results: [
        { request: 'a', driver: 'd', pool: 'p', device: 'dev-a' },
        { request: 'b', driver: 'd', pool: 'p', device: 'dev-b', adminAccess: true, tolerations: [toleration] },
      ],
    },
    allocationTimestamp: AT,
  });
});

test('what is taken of devices that others may have shares of, and who tells the shares apart', () => {
  const share = new Map([['memory', parseQuantity('2048Mi')]]);
  const [of, ofNothing] = [
    { ...chosen('a'), share },
    { ...chosen('b'), share: new Map() },
  ];
  shares = 0;
  assert.deepEqual(result([of, ofNothing, of]).devices?.results, [
    { request: 'a', driver: 'd', pool: 'p', device: 'dev-a', shareID: 'share-1', consumedCapacity: { memory: '2Gi' } },
    { request: 'b', driver: 'd', pool: 'p', device: 'dev-b', shareID: 'share-2' },
    { request: 'a', driver: 'd', pool: 'p', device: 'dev-a', shareID: 'share-3', consumedCapacity: { memory: '2Gi' } },
  ]);
});

test('what has to be true before a pod is bound, and for which node', () => {
  const conditions = { bindingConditions: ['Attached'], bindingFailureConditions: ['Broken', 'Lost'] };
  const one = chosen('a', {}, { allNodes: true });
  const waiting = (more: object): ChosenDevice => ({
    ...one,
    device: { ...one.device, device: { name: 'dev-a', ...conditions, ...more } },
  });
  const written = { request: 'a', driver: 'd', pool: 'p', device: 'dev-a', ...conditions };
  assert.deepEqual(result([waiting({})]).devices?.results, [written]);
  assert.equal(result([waiting({})]).nodeSelector, undefined);
  const here = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['here'] }] };
  assert.deepEqual(result([one, waiting({ bindsToNode: true })]).nodeSelector, { nodeSelectorTerms: [here] });
});

const CONFIGS: readonly [
  name: string,
  chosen: readonly ChosenDevice[],
  requests: readonly string[] | undefined,
  taken: boolean,
][] = [
  ['for all requests', [chosen('a')], undefined, true],
  ['for none in particular', [chosen('a')], [], true],
  ['for one that got a device', [chosen('a')], ['a'], true],
  ['for another one', [chosen('a')], ['b'], false],
  ['for a way to meet one', [chosen('a/fast')], ['a/fast'], true],
  ['for another way', [chosen('a/slow')], ['a/fast'], false],
  ['for all ways', [chosen('a/fast')], ['a'], true],
];
for (const [name, all, requests, taken] of CONFIGS)
  test(`configuration of the claim: ${name}`, () => {
    const config = [{ ...opaque('claim'), ...(requests === undefined ? {} : { requests }) }];
    const wanted = taken ? config.map((one) => ({ source: 'FromClaim', ...one })) : undefined;
    assert.deepEqual(result(all, config).devices?.config, wanted);
  });

test('the configuration of a class comes first, once for all requests of it', () => {
  const all = [chosen('a', { class: GPU }), chosen('b', { class: GPU }), chosen('c')];
  assert.deepEqual(result(all, [opaque('claim')]).devices?.config, [
    { source: 'FromClass', requests: ['a', 'b'], ...opaque('class') },
    { source: 'FromClaim', ...opaque('claim') },
  ]);
});

const inZone = (zone: string): NodeSelectorTerm => ({
  matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }],
});
const selecting = (term: NodeSelectorTerm): Reach => ({ nodeSelector: { nodeSelectorTerms: [term] } });
const named = (name: string): NodeSelectorTerm => ({
  matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
});
const REACHES: readonly [name: string, reaches: readonly Reach[], wanted: NodeSelector | undefined][] = [
  ['every node', [{ allNodes: true }], undefined],
  ['its own node', [{ nodeName: 'n' }], { nodeSelectorTerms: [named('n')] }],
  ['one node among wider ones', [selecting(inZone('a')), { nodeName: 'n' }], { nodeSelectorTerms: [named('n')] }],
  ['selected nodes', [selecting(inZone('a')), { allNodes: true }], { nodeSelectorTerms: [inZone('a')] }],
  ['the same ones twice', [selecting(inZone('a')), selecting(inZone('a'))], { nodeSelectorTerms: [inZone('a')] }],
  [
    'all selectors have to hold: they are one term',
    [selecting(inZone('a')), selecting(inZone('b')), selecting(named('n'))],
    {
      nodeSelectorTerms: [
        {
          matchExpressions: [...(inZone('a').matchExpressions ?? []), ...(inZone('b').matchExpressions ?? [])],
          matchFields: named('n').matchFields ?? [],
        },
      ],
    },
  ],
];
for (const [name, reaches, wanted] of REACHES)
  test(`who reaches what was chosen: ${name}`, () => {
    assert.deepEqual(result(reaches.map((reach, at) => chosen(`r${at}`, {}, reach))).nodeSelector, wanted);
  });
