import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, PodAffinityTerm } from '@binnacle/api/core/v1';
import { selectorFromObject } from '@binnacle/machinery';
import type { LabelSelector } from '@binnacle/machinery';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';
import { affinityTermsOf, selectorWithKeys, termMatches } from './pod-affinity-terms.ts';
import type { AffinityTerm } from './pod-affinity-terms.ts';

const WEB: LabelSelector = { matchLabels: { app: 'web' } };
const isWeb = { key: 'app', operator: '=', values: ['web'] } as const;
const term = (more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey: 'zone',
  labelSelector: WEB,
  ...more,
});

const JOINED: readonly [
  name: string,
  selector: LabelSelector | undefined,
  keys: Parameters<typeof selectorWithKeys>[2],
  wanted: object,
][] = [
  ['no keys', WEB, {}, { requirements: [isWeb] }],
  [
    'the same value',
    WEB,
    { matchLabelKeys: ['rev'] },
    { requirements: [isWeb, { key: 'rev', operator: 'in', values: ['2'] }] },
  ],
  [
    'any other value',
    WEB,
    { mismatchLabelKeys: ['rev'] },
    { requirements: [isWeb, { key: 'rev', operator: 'notin', values: ['2'] }] },
  ],
  [
    'a key that the pod lacks',
    WEB,
    { matchLabelKeys: ['tier'], mismatchLabelKeys: ['tier'] },
    { requirements: [isWeb] },
  ],
  ['an inherited name is no label', WEB, { matchLabelKeys: ['constructor'] }, { requirements: [isWeb] }],
  ['no selector matches nothing', undefined, { matchLabelKeys: ['rev'] }, { requirements: [], nothing: true }],
  [
    'the empty selector with a key',
    {},
    { matchLabelKeys: ['rev'] },
    { requirements: [{ key: 'rev', operator: 'in', values: ['2'] }] },
  ],
];
for (const [name, selector, keys, wanted] of JOINED)
  test(`a selector with the pod's own values: ${name}`, () => {
    assert.deepEqual(selectorWithKeys(selector, makePod('p', { labels: { app: 'web', rev: '2' } }), keys), wanted);
  });
test('a pod without labels gives no values', () => {
  assert.deepEqual(selectorWithKeys(WEB, makePod('p'), { matchLabelKeys: ['rev'] }), { requirements: [isWeb] });
});

test('the terms of a pod: required ones weigh 1, disliked ones less than nothing', () => {
  const affinity = {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [term()],
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 7, podAffinityTerm: term() }],
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [term({ topologyKey: 'host' })],
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 9, podAffinityTerm: term() }],
    },
  };
  const terms = affinityTermsOf(makePod('p', { affinity }));
  const shown = Object.entries(terms).map(([kind, list]: [string, readonly AffinityTerm[]]) => [
    kind,
    list.map(({ weight, topologyKey }) => `${weight} ${topologyKey}`),
  ]);
  assert.deepEqual(Object.fromEntries(shown), {
    affinity: ['1 zone'],
    antiAffinity: ['1 host'],
    preferred: ['7 zone'],
    disliked: ['-9 zone'],
  });
  for (const none of [undefined, {}, { podAffinity: {} }, { podAntiAffinity: {} }]) {
    const empty = affinityTermsOf(makePod('p', none === undefined ? {} : { affinity: none }));
    assert.deepEqual(empty, { affinity: [], antiAffinity: [], preferred: [], disliked: [] });
  }
});

// A term's namespaces: the pod's own where it names none; an empty selector is every namespace.
const PLACES: readonly [name: string, more: Partial<PodAffinityTerm>, namespace: string, matches: boolean][] = [
  ['its own', {}, 'default', true],
  ['not another', {}, 'team', false],
  ['one by name', { namespaces: ['team'] }, 'team', true],
  ['its own is not named', { namespaces: ['team'] }, 'default', false],
  ['by labels', { namespaceSelector: { matchLabels: { kind: 'shop' } } }, 'team', true],
  ['other labels', { namespaceSelector: { matchLabels: { kind: 'bank' } } }, 'team', false],
  ['its own is not selected', { namespaceSelector: { matchLabels: { kind: 'shop' } } }, 'default', false],
  [
    'by name or by labels',
    { namespaces: ['default'], namespaceSelector: { matchLabels: { kind: 'shop' } } },
    'default',
    true,
  ],
  ['every namespace', { namespaceSelector: {} }, 'team', true],
  ['every namespace, also one that is not known', { namespaceSelector: {} }, 'gone', true],
  ['labels of one that is not known', { namespaceSelector: { matchLabels: { kind: 'shop' } } }, 'gone', false],
];
for (const [name, more, namespace, matches] of PLACES)
  test(`whom a term is about: ${name}`, () => {
    const required = { requiredDuringSchedulingIgnoredDuringExecution: [term(more)] };
    const [read] = affinityTermsOf(makePod('p', { affinity: { podAffinity: required } })).affinity;
    const labels = (of: string) => ({ team: { kind: 'shop' }, default: {} })[of];
    const of = (app: string) => makePod('other', { namespace, labels: { app } });
    assert.equal(termMatches(read ?? assert.fail('no term'), of('web'), labels), matches);
    assert.equal(termMatches(read ?? assert.fail('no term'), of('db'), labels), false, 'other pods never');
  });

test('a term without a selector is about nobody', () => {
  const required = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] };
  const [read] = affinityTermsOf(makePod('p', { affinity: { podAffinity: required } })).affinity;
  assert.deepEqual(read?.selector, selectorFromObject(undefined));
  assert.equal(
    termMatches(read ?? assert.fail('no term'), makePod('p'), () => ({})),
    false,
  );
});

const matchExpressions = [{ key: 'app', operator: 'In' as const, values: ['not a value'] }];
const unreadable: PodAffinityTerm = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchExpressions } };
const withTerm = (name: string, term: PodAffinityTerm): Pod =>
  makePod(name, { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });

test('a placed pod whose term cannot be read, stored as it was, keeps nobody from a node', () => {
  const scene = new Scene().nodes(makeNode('n'));
  scene.placed(withTerm('aged', unreadable), 'n');
  // Its other kind of term makes the scheduler look at what placed pods say.
  scene.placed(
    withTerm('other', { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'x' } } }),
    'n',
  );
  assert.equal(scene.decide(makePod('p', { labels: { app: 'web' } })).node, 'n');
});

test('a pod whose own term cannot be read is placed nowhere, and is told why', () => {
  const scene = new Scene().nodes(makeNode('n'));
  const outcome = scene.decide(withTerm('p', unreadable));
  assert.equal(outcome.node, undefined);
  assert.match(outcome.message ?? '', /^0\/1 nodes are available: 1 parsing pod: .*not a value/);
});
