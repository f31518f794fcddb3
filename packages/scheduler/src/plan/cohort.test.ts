import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePod } from '../testing/objects.ts';
import { areLabelled, Cohorts } from './cohort.ts';
import { demandOf } from './demand.ts';
import { Tally } from './tally.ts';
import type { TallySpec } from './tally.ts';

const KINDS = 200;
/** All of one app, each of its own kind. */
const kind = (at: number) => demandOf(makePod(`p-${at}`, { labels: { app: 'shop', kind: `k${at}` } }));

test('a new kind of pod among many others is counted by a look at its like alone', () => {
  const cohorts = new Cohorts();
  for (let at = 0; at < KINDS; at++) cohorts.book(kind(at), 0, 1);
  const topology = { domainOf: Int32Array.of(0), domains: 1, size: 1, domainWith: () => undefined };
  const { namespace = '' } = kind(7).pod.metadata;
  const weighed: string[] = [];
  const spec: TallySpec = {
    keys: ['host'],
    onlyWithLabels: {
      namespace,
      labels: [
        ['app', 'shop'],
        ['kind', 'k7'],
      ],
    },
    weigh: ({ sample }) => {
      weighed.push(sample.pod.metadata.name ?? '');
      return [1];
    },
  };
  const tally = new Tally(spec, [topology as never], 0);
  tally.refresh({ end: 1, version: 1, cohorts: () => cohorts.labelled(spec.onlyWithLabels!), has: () => true });
  for (let at = 0; at < KINDS; at++) tally.book(cohorts.book(kind(at), 0, 1), 0, { sign: 1, version: 1 });
  assert.deepEqual([weighed, tally.columns[0]?.total], [['p-7'], 2]);
});

test('who left is found under no label any more', () => {
  const cohorts = new Cohorts();
  const pods = { namespace: kind(1).pod.metadata.namespace ?? '', labels: [['kind', 'k1']] as const };
  cohorts.book(kind(1), 0, 1);
  cohorts.book(kind(1), 3, 1);
  assert.equal([...cohorts.labelled(pods)].length, 1);
  cohorts.book(kind(1), 0, -1);
  assert.equal([...cohorts.labelled(pods)].length, 1);
  cohorts.book(kind(1), 3, -1);
  assert.deepEqual([...cohorts.labelled(pods)], []);
  assert.deepEqual([...cohorts.labelled({ ...pods, namespace: 'elsewhere' })], []);
});

const shop = { namespace: 'default', labels: [['app', 'shop']] } as const;
for (const [name, labels, pods, expected] of [
  ['it has the label', { app: 'shop', tier: 'web' }, shop, true],
  ['another value', { app: 'bank' }, shop, false],
  ['no label at all', undefined, shop, false],
  ['another namespace', { app: 'shop' }, { ...shop, namespace: 'elsewhere' }, false],
  ['one of two', { app: 'shop' }, { ...shop, labels: [...shop.labels, ['tier', 'web']] }, false],
] as const) {
  test(`a kind of pod among those that are labelled: ${name}`, () => {
    const sample = demandOf(makePod('p', labels === undefined ? {} : { labels }));
    assert.equal(areLabelled({ sample, bySlot: new Map() }, pods), expected);
  });
}
