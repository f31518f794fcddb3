import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Device, ResourceSlice } from '@binnacle/api/resource/v1';
import { makeSlice } from '../testing/devices.ts';
import { gatherPools, reaches } from './pools.ts';
import type { Reach } from './pools.ts';

const zone = (value: string): NonNullable<Reach['nodeSelector']> => ({
  nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [value] }] }],
});
const REACHES: readonly [name: string, reach: Reach, reached: boolean][] = [
  ['its own node', { nodeName: 'n' }, true],
  ['another node', { nodeName: 'm' }, false],
  ['a node by name before all nodes', { nodeName: 'm', allNodes: true }, false],
  ['the empty name is none', { nodeName: '', allNodes: true }, true],
  ['all nodes', { allNodes: true }, true],
  ['not all nodes', { allNodes: false }, false],
  ['nodes that are selected', { nodeSelector: zone('a') }, true],
  ['nodes that are not', { nodeSelector: zone('b') }, false],
  ['nobody', {}, false],
];
for (const [name, reach, reached] of REACHES)
  test(`reach: ${name}`, () => assert.equal(reaches(reach, { name: 'n', labels: { zone: 'a' } }), reached));

const slice = (name: string, generation: number, more: Partial<ResourceSlice['spec']> = {}): ResourceSlice => {
  const { resourceSliceCount = 1, ...rest } = more.pool ?? { name: 'p', generation };
  const pool = { ...rest, generation, resourceSliceCount };
  return { ...makeSlice('n', [{ name: `d-${name}` }], { ...more, pool }), metadata: { name } };
};
const two = { pool: { name: 'p', generation: 0, resourceSliceCount: 2 } };
const device = (more: Partial<Device>, name = 'd'): Device => ({ name, ...more });
const uses = (counterSet: string, counter: string): Partial<Device> => ({
  consumesCounters: [{ counterSet, counters: { [counter]: { value: '1' } } }],
});

const GATHERED: readonly [
  name: string,
  slices: readonly ResourceSlice[],
  devices: readonly string[],
  whole: boolean,
][] = [
  ['one slice', [slice('a', 1)], ['d-a'], true],
  ['its parts, by their names', [slice('b', 1, two), slice('a', 1, two)], ['d-a', 'd-b'], true],
  ['a part is missing', [slice('a', 1, two)], ['d-a'], false],
  ['a newer generation comes later', [slice('a', 1), slice('b', 2)], ['d-b'], true],
  ['an older generation comes later', [slice('b', 2), slice('a', 1)], ['d-b'], true],
  ['a newer generation that is not all there yet', [slice('a', 1), slice('b', 2, two)], ['d-b'], false],
  ['more parts than there should be', [slice('a', 1), slice('b', 1)], ['d-a', 'd-b'], false],
];
for (const [name, slices, devices, whole] of GATHERED)
  test(`a pool: ${name}`, () => {
    const [pool, ...others] = gatherPools(slices);
    assert.deepEqual(others, []);
    assert.deepEqual(
      pool?.devices.map((one) => one.device.name),
      devices,
    );
    assert.equal(pool?.isIncomplete, !whole);
  });

test('pools of drivers and names stand apart, in their order', () => {
  const of = (driver: string, name: string): ResourceSlice =>
    slice('s', 1, { driver, pool: { name, generation: 1, resourceSliceCount: 1 } });
  const pools = gatherPools([of('e', 'a'), of('d', 'b'), of('d', 'a')]);
  assert.deepEqual(
    pools.map(({ driver, name }) => `${driver}/${name}`),
    ['d/a', 'd/b', 'e/a'],
  );
});

test('who reaches a device is said by its slice, or by itself where the slice says so', () => {
  const devices = [device({ nodeName: 'own' })];
  const reachOf = (more: Partial<ResourceSlice['spec']>): unknown =>
    gatherPools([makeSlice('n', devices, more)])[0]?.devices[0]?.reach.nodeName;
  assert.equal(reachOf({}), 'n');
  assert.equal(reachOf({ perDeviceNodeSelection: true }), 'own');
});

const shared = [{ name: 's', counters: { memory: { value: '4' } } }];
const INVALID: readonly [name: string, devices: readonly Device[], why: string | undefined][] = [
  ['as it should be', [device(uses('s', 'memory'))], undefined],
  ['a name twice', [device({}), device({})], 'duplicate device name d'],
  ['a set that is not there', [device(uses('t', 'memory'))], 'counter set t of device d does not exist'],
  ['a counter that is not there', [device(uses('s', 'cores'))], 'counter cores of device d does not exist'],
  [
    'a counter with an inherited name',
    [device(uses('s', 'constructor'))],
    'counter constructor of device d does not exist',
  ],
];
for (const [name, devices, why] of INVALID)
  test(`a pool to give from: ${name}`, () => {
    assert.equal(gatherPools([makeSlice('n', devices, { sharedCounters: shared })])[0]?.invalid, why);
  });

test('what devices share is counted in nanos', () => {
  const [pool] = gatherPools([makeSlice('n', [], { sharedCounters: shared })]);
  assert.equal(pool?.counters.get('s')?.get('memory'), 4_000_000_000n);
});
