import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import type { Endpoint, EndpointSlice } from '@binnacle/api/discovery/v1';
import { endpointKey, groupKey, planSlices } from './slice-plan.ts';
import type { SliceContent, SliceFamily, SliceGroup, SlicePlan } from './slice-plan.ts';

const MAX = 4;
const PORT = { name: 'http', port: 80, protocol: 'TCP' as const };
const endpoint = (i: number, ready = true): Endpoint => ({
  addresses: [`10.0.0.${i}`],
  conditions: { ready },
  targetRef: { kind: 'Pod', namespace: 'ns', name: `p${i}`, uid: `u${i}` },
});
const slice = (name: string, endpoints: readonly Endpoint[], ports = [PORT]): EndpointSlice => ({
  metadata: { name },
  addressType: 'IPv4',
  endpoints,
  ports,
});
const group = (endpoints: readonly Endpoint[], port = PORT): SliceGroup => ({
  family: 'IPv4',
  ports: [port],
  endpoints,
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => endpoint(from + i));
const plan = (groups: readonly SliceGroup[], existing: readonly EndpointSlice[], placeholders: SliceFamily[] = []) =>
  planSlices({ groups, existing, max: MAX, placeholders, isCurrent: (one) => one.metadata.labels?.['old'] !== 'yes' });
const told = ({ create, update, remove }: SlicePlan): readonly string[] => [
  ...create.map((one) => `create ${names(one.endpoints)}`),
  ...update.map((one) => `update ${one.slice.metadata.name} ${names(one.content.endpoints)}`),
  ...remove.map((one) => `remove ${one.metadata.name}`),
];
const names = (endpoints: readonly Endpoint[]): string => endpoints.map((one) => one.targetRef?.name).join(',');
const old = (one: EndpointSlice): EndpointSlice => ({ ...one, metadata: { ...one.metadata, labels: { old: 'yes' } } });

const ROWS: readonly [string, readonly SliceGroup[], readonly EndpointSlice[], readonly string[]][] = [
  ['nothing to do', [group(range(0, 3))], [slice('a', range(0, 3))], []],
  ['the first', [group(range(0, 6))], [], ['create p0,p1,p2,p3', 'create p4,p5']],
  ['one more, in the slice with room', [group(range(0, 4))], [slice('a', range(0, 3))], ['update a p0,p1,p2,p3']],
  [
    'one more, in the fullest that takes it',
    [group(range(0, 7))],
    [slice('a', range(0, 2)), slice('b', range(3, 6))],
    ['update b p3,p4,p5,p2', 'create p6'].slice(2).concat(['update a p0,p1,p2,p6']),
  ],
  [
    'one goes, one comes: one write',
    [group([...range(1, 4), endpoint(9)])],
    [slice('a', range(0, 4))],
    ['update a p1,p2,p3,p9'],
  ],
  ['the last of a slice goes', [group(range(0, 4))], [slice('a', range(0, 4)), slice('b', range(4, 5))], ['remove b']],
  ['readiness changes', [group([endpoint(0, false)])], [slice('a', [endpoint(0)])], ['update a p0']],
  ['other labels', [group(range(0, 2))], [old(slice('a', range(0, 2)))], ['update a p0,p1']],
  [
    'other ports: the slice is written over',
    [group(range(0, 2), { ...PORT, port: 81 })],
    [slice('a', range(0, 2))],
    ['update a p0,p1'],
  ],
  [
    'the same endpoint in two slices',
    [group(range(0, 2))],
    [slice('a', range(0, 2)), slice('b', range(1, 2))],
    ['remove b'],
  ],
  [
    'more in a slice than may be',
    [group(range(0, 5))],
    [slice('a', range(0, 5))],
    ['create p4', 'update a p0,p1,p2,p3'],
  ],
];
for (const [name, groups, existing, expected] of ROWS) {
  test(name, () => assert.deepEqual(told(plan(groups, existing)), expected));
}

test('a family without endpoints keeps one empty slice', () => {
  assert.deepEqual(plan([], [], ['IPv4', 'IPv6']).create, [
    { family: 'IPv4', ports: [], endpoints: [] },
    { family: 'IPv6', ports: [], endpoints: [] },
  ]);
  assert.deepEqual(told(plan([], [slice('a', [], [])], ['IPv4'])), []);
  assert.deepEqual(told(plan([], [slice('a', range(0, 2)), slice('b', range(3, 4))], ['IPv4'])), [
    'update a ',
    'remove b',
  ]);
  assert.deepEqual(told(plan([group(range(0, 1))], [slice('a', [], [])], ['IPv4'])), ['update a p0']);
});

function apply(existing: readonly EndpointSlice[], { create, update, remove }: SlicePlan, next: () => string) {
  const of = (content: SliceContent, name: string): EndpointSlice => ({
    metadata: { name },
    addressType: content.family,
    endpoints: content.endpoints,
    ports: content.ports,
  });
  const byName = new Map(existing.map((one) => [one.metadata.name, one]));
  for (const one of remove) byName.delete(one.metadata.name);
  for (const one of update) byName.set(one.slice.metadata.name, of(one.content, one.slice.metadata.name ?? ''));
  for (const content of create) {
    const made = of(content, next());
    byName.set(made.metadata.name, made);
  }
  return [...byName.values()];
}

function held(slices: readonly EndpointSlice[]): readonly string[] {
  return slices
    .flatMap((one) =>
      (one.endpoints ?? []).map((each) => `${groupKey(one.addressType, one.ports)} ${JSON.stringify(each)}`),
    )
    .toSorted();
}

test('under churn: exactly what a plain model holds, nothing twice, no slice too full, and then nothing to do', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = createSeededRandom(seed);
    let slices: readonly EndpointSlice[] = [];
    let made = 0;
    for (let round = 0; round < 12; round++) {
      const groups: SliceGroup[] = [];
      for (const family of ['IPv4', 'IPv6'] as const) {
        for (let port = 0; port < 1 + randomBelow(random, 2); port++) {
          const count = randomBelow(random, 14);
          const chosen = Array.from({ length: count }, () => endpoint(randomBelow(random, 20)));
          const endpoints = [...new Map(chosen.map((one) => [endpointKey(one), one])).values()];
          const conditions = { ready: randomBelow(random, 2) === 0 };
          groups.push({ family, ports: [{ ...PORT, port }], endpoints: endpoints.map((e) => ({ ...e, conditions })) });
        }
      }
      const wanted = groups.flatMap((g) =>
        g.endpoints.map((each) => `${groupKey(g.family, g.ports)} ${JSON.stringify(each)}`),
      );
      const input = { groups, max: MAX, placeholders: ['IPv4' as const], isCurrent: () => true };
      const done = planSlices({ ...input, existing: slices });
      slices = apply(slices, done, () => `s${made++}`);
      assert.deepEqual(held(slices), wanted.toSorted(), `seed ${seed}, round ${round}`);
      assert.ok(
        slices.every((one) => (one.endpoints?.length ?? 0) <= MAX),
        `seed ${seed}`,
      );
      const again = planSlices({ ...input, existing: slices });
      assert.deepEqual(told(again), [], `seed ${seed}, round ${round}: settled`);
    }
  }
});
