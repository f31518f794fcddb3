import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { NamespaceCondition } from '@binnacle/api/core/v1';
import { decideConditions } from './conditions.ts';
import type { Findings } from './conditions.ts';
import { deletable } from './content.ts';

const NONE: Findings = { discoveryFailures: [], deletionFailures: [], remaining: [], finalizers: new Map() };
const [BEFORE, NOW] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'];
const first = decideConditions([], NONE, BEFORE);

test('all is well: five conditions in upstream’s order', () => {
  assert.deepEqual(
    first.map(({ type, status, reason, lastTransitionTime }) => `${type} ${status} ${reason} ${lastTransitionTime}`),
    [
      `NamespaceDeletionDiscoveryFailure False ResourcesDiscovered ${BEFORE}`,
      `NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions ${BEFORE}`,
      `NamespaceDeletionContentFailure False ContentDeleted ${BEFORE}`,
      `NamespaceContentRemaining False ContentRemoved ${BEFORE}`,
      `NamespaceFinalizersRemaining False ContentHasNoFinalizers ${BEFORE}`,
    ],
  );
  assert.equal(decideConditions(first, NONE, NOW), first, 'and nothing to write');
});

const of = (group: string, resource: string) => ({ group, resource });
const TOLD: readonly [name: string, findings: Partial<Findings>, type: string, told: string][] = [
  [
    'a group that does not answer',
    {
      discoveryFailures: [
        { groupVersion: 'stale.example/v1', reason: 'stale GroupVersion discovery: stale.example/v1' },
        { groupVersion: 'down.example/v1', reason: 'down' },
      ],
    },
    'NamespaceDeletionDiscoveryFailure',
    'DiscoveryFailed Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: down.example/v1: down, stale.example/v1: stale GroupVersion discovery: stale.example/v1',
  ],
  [
    'what could not be deleted, in order',
    { deletionFailures: ['widgets: b', 'gadgets: a'] },
    'NamespaceDeletionContentFailure',
    'ContentDeletionFailed Failed to delete all resource types, 2 remaining: gadgets: a, widgets: b',
  ],
  [
    'what is left, in order; resources of the core group end with a dot',
    {
      remaining: [
        { resource: of('', 'pods'), count: 2 },
        { resource: of('apps', 'deployments'), count: 1 },
      ],
    },
    'NamespaceContentRemaining',
    'SomeResourcesRemain Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances',
  ],
  [
    'finalizers, in order, odd names too',
    {
      finalizers: new Map([
        ['z.io/z', 1],
        ['constructor', 3],
      ]),
    },
    'NamespaceFinalizersRemaining',
    'SomeFinalizersRemain Some content in the namespace has finalizers remaining: constructor in 3 resource instances, z.io/z in 1 resource instances',
  ],
];
for (const [name, findings, type, told] of TOLD)
  test(`told of a namespace that goes: ${name}`, () => {
    const after = decideConditions(first, { ...NONE, ...findings }, NOW);
    const condition = after.find((one) => one.type === type);
    assert.equal(`${condition?.reason} ${condition?.message}`, told);
    assert.deepEqual([condition?.status, condition?.lastTransitionTime], ['True', NOW]);
    assert.equal(after.filter((one) => one.lastTransitionTime === NOW).length, 1, 'the others stay as they were');
    const twice = decideConditions(after, { ...NONE, ...findings }, 'later');
    assert.equal(twice, after, 'told once');
  });

test('another message alone moves no time', () => {
  const left = (count: number): Findings => ({ ...NONE, remaining: [{ resource: of('', 'pods'), count }] });
  const after = decideConditions(decideConditions(first, left(2), BEFORE), left(1), NOW);
  const condition = after.find(({ type }) => type === 'NamespaceContentRemaining');
  assert.match(condition?.message ?? '', /pods\. has 1/);
  assert.equal(condition?.lastTransitionTime, BEFORE);
});

test('conditions keep their places, those of others and what others wrote into ours', () => {
  const other: NamespaceCondition = { type: 'Hibernated', status: 'True' };
  const odd = { type: 'NamespaceContentRemaining', status: 'True' as const, extra: 1 };
  const after = decideConditions([odd, other], NONE, NOW);
  assert.deepEqual(
    after.map(({ type }) => type),
    [
      'NamespaceContentRemaining',
      'Hibernated',
      'NamespaceDeletionDiscoveryFailure',
      'NamespaceDeletionGroupVersionParsingFailure',
      'NamespaceDeletionContentFailure',
      'NamespaceFinalizersRemaining',
    ],
  );
  assert.deepEqual([after[0]?.status, (after[0] as typeof odd).extra, after[1]], ['False', 1, other]);
});

for (const [name, namespaced, verbs, expected] of [
  ['list and delete', true, ['list', 'delete'], true],
  ['list and deletecollection', true, ['deletecollection', 'list'], true],
  ['nothing to list', true, ['get', 'delete', 'deletecollection'], false],
  ['nothing to delete, as tokenreviews', true, ['list', 'create'], false],
  ['no verbs', true, [], false],
  ['of the cluster', false, ['list', 'delete'], false],
] as const)
  test(`content of a namespace: ${name}`, () => {
    const resource = { group: 'g', version: 'v1', resource: 'r', kind: 'R', namespaced, verbs };
    assert.deepEqual(deletable([resource]), expected ? [resource] : []);
  });
