import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { matchesLabels, NOTHING, selectorFromObject, selectorFromSet } from '@binnacle/machinery';
import type { KubeObject, Selector } from '@binnacle/machinery';
import { orphansFor, OWNERSHIP_INDEXES, ownersFor } from './pod-index.ts';

type Labels = { readonly [name: string]: string };

/** What an informer's cache is to those who look into it. */
function cacheOf(objects: readonly KubeObject[]) {
  const under = (index: string, value: string): readonly KubeObject[] =>
    objects.filter((object) => OWNERSHIP_INDEXES[index]?.(object).includes(value));
  return { byIndex: under, countByIndex: (index: string, value: string) => under(index, value).length };
}

const CONTROLLER = { apiVersion: 'v1', kind: 'ReplicationController', name: 'rc', uid: 'u', controller: true };
const pod = (name: string, labels: Labels, more: object = {}): KubeObject => ({
  metadata: { name, namespace: 'ns', labels, ...more },
});
const owner = (name: string, selector: object | undefined): KubeObject =>
  ({ metadata: { name, namespace: 'ns' }, spec: { template: {}, selector } }) as KubeObject;
const namesOf = (objects: Iterable<KubeObject>): string[] =>
  [...objects].map(({ metadata }) => metadata.name ?? '').toSorted();
const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`l${i}`, 'x']));

describe('what has no controller', () => {
  const pods = cacheOf([
    pod('shop', { app: 'shop', tier: 'web' }),
    pod('own', { app: 'shop' }, { ownerReferences: [CONTROLLER] }),
    pod('elsewhere', { app: 'shop' }, { namespace: 'other' }),
    pod('bar', { app: 'bar', tier: 'web' }),
    pod('many', { ...many, app: 'shop' }),
    pod('none', {}),
  ]);
  const rows: readonly (readonly [what: string, selector: Selector, found: readonly string[]])[] = [
    ['by a label', selectorFromSet({ app: 'shop' }), ['many', 'shop']],
    ['by the label that fewer have', selectorFromSet({ tier: 'web', app: 'bar' }), ['bar', 'many']],
    ['by a label that nobody has', selectorFromSet({ app: 'pub' }), ['many']],
    [
      'by an expression of one value',
      selectorFromObject({ matchExpressions: [{ key: 'app', operator: 'In', values: ['bar'] }] }),
      ['bar', 'many'],
    ],
    [
      'by what is no label with a value: all of the namespace',
      selectorFromObject({ matchExpressions: [{ key: 'app', operator: 'Exists' }] }),
      ['bar', 'many', 'none', 'shop'],
    ],
    ['by everything', selectorFromSet({}), ['bar', 'many', 'none', 'shop']],
    ['by nothing', NOTHING, []],
  ];
  for (const [what, selector, found] of rows) {
    it(`is looked at ${what}`, () => assert.deepEqual(namesOf(orphansFor(pods, 'ns', selector)), found));
  }
});

describe('owners of an object', () => {
  const owners = cacheOf([
    owner('shop', { matchLabels: { app: 'shop', hash: '12345' } }),
    owner('plain', { app: 'shop' }),
    owner('expressions', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }),
    owner('all', {}),
    owner('silent', undefined),
    { metadata: { name: 'no-owner', namespace: 'ns' } },
  ]);
  const rows: readonly (readonly [what: string, labels: Labels | undefined, found: readonly string[]])[] = [
    ['by the labels that they select by', { app: 'shop', hash: '12345' }, ['plain', 'shop']],
    ['by the rarest of them', { app: 'shop', hash: '9' }, ['plain']],
    ['none by labels', undefined, []],
  ];
  const REST = ['all', 'expressions', 'silent'];
  for (const [what, labels, found] of rows) {
    it(`are found ${what}`, () => {
      const metadata = { namespace: 'ns', ...(labels === undefined ? {} : { labels }) };
      assert.deepEqual(namesOf(ownersFor(owners, metadata)), [...REST, ...found].toSorted());
    });
  }
});

it('nobody is missed, whatever is selected by and labelled', () => {
  const random = createSeededRandom(5);
  const pick = (): Labels =>
    Object.fromEntries(
      Array.from({ length: randomBelow(random, 3) }, () => [
        `k${randomBelow(random, 3)}`,
        'v'.repeat(1 + randomBelow(random, 3)),
      ]),
    );
  for (let round = 0; round < 200; round++) {
    const objects = Array.from({ length: 8 }, (_, i) => pod(`p${i}`, pick()));
    const labels = pick();
    const selector = selectorFromSet(labels);
    const matching = namesOf(objects.filter(({ metadata }) => matchesLabels(selector, metadata.labels)));
    const found = namesOf(orphansFor(cacheOf(objects), 'ns', selector));
    assert.ok(
      matching.every((name) => found.includes(name)),
      `${round}: ${found.join()} of ${matching.join()}`,
    );
    const owners = cacheOf([owner('o', { matchLabels: labels })]);
    for (const { metadata } of objects) {
      const isFound = namesOf(ownersFor(owners, metadata)).includes('o');
      assert.ok(isFound || !matchesLabels(selector, metadata.labels), `${round}: ${metadata.name}`);
    }
  }
});
