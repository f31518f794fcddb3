import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CustomResourceDefinition } from '@binnacle/api/apiextensions/v1';
import { customDefinition } from './custom-kind.ts';
import type { CustomKindWorld } from './custom-kind.ts';

const NAMES = {
  plural: 'boats',
  kind: 'Boat',
  singular: 'boat',
  shortNames: ['bt'],
  categories: ['all'],
  listKind: 'BoatList',
};
const world = { status: { handlers: {} } } as unknown as CustomKindWorld;

interface Given {
  readonly versions: readonly object[];
  readonly scope?: string;
  readonly conditions?: readonly object[];
  readonly conversion?: object;
}

const version = (name: string, more: object = {}): object => ({ name, served: true, storage: false, ...more });
const stored = (name: string, more: object = {}): object => version(name, { storage: true, ...more });

function made({ versions, scope = 'Namespaced', conditions = [], conversion }: Given, names: object = NAMES) {
  const spec = {
    group: 'ships.io',
    scope,
    names: NAMES,
    versions,
    ...(conversion === undefined ? {} : { conversion }),
  };
  const definition = { metadata: { name: 'boats.ships.io' }, spec, status: { conditions } };
  return customDefinition(definition as unknown as CustomResourceDefinition, names as typeof NAMES, world);
}

describe('a custom kind as the catalogue has it', () => {
  const of = (given: Given): string => {
    const definition = made(given);
    if (definition === undefined) return 'nothing';
    return `${definition.name}: ${definition.versions.map(({ info }) => info.version).join(' ')}, stored as ${definition.storage.version}`;
  };
  const rows: readonly (readonly [name: string, given: Given, wanted: string])[] = [
    ['one version', { versions: [stored('v1')] }, 'boats.ships.io: v1, stored as v1'],
    [
      'in the order of the definition',
      { versions: [version('v2'), stored('v1')] },
      'boats.ships.io: v2 v1, stored as v1',
    ],
    [
      'what is not served',
      { versions: [version('v2'), stored('v1', { served: false })] },
      'boats.ships.io: v2, stored as v1',
    ],
    ['nothing served', { versions: [stored('v1', { served: false })] }, 'nothing'],
    ['nothing stored', { versions: [version('v1')] }, 'nothing'],
    ['no versions', { versions: [] }, 'nothing'],
  ];
  for (const [name, given, wanted] of rows) test(name, () => assert.equal(of(given), wanted));

  test('tells in which form it is stored, if that is served', () => {
    const hashes = (versions: readonly object[]): unknown =>
      made({ versions })?.versions.map(({ info }) => info.storageVersionHash);
    assert.deepEqual(hashes([version('v2'), stored('v1')]), ['lu87+ylb5II=', 'lu87+ylb5II=']);
    assert.deepEqual(hashes([version('v2'), stored('v1', { served: false })]), [undefined]);
  });

  test('goes by the names that were accepted', () => {
    const { kind, ...rest } = NAMES;
    const info = made({ versions: [stored('v1')] }, { plural: 'barges', kind: 'Barge' })?.storage;
    assert.deepEqual(
      [info?.resource, info?.kind, info?.listKind, info?.singular, info?.shortNames, info?.storagePrefix],
      ['barges', 'Barge', 'BargeList', '', [], 'ships.io/barges'],
    );
    assert.equal(made({ versions: [stored('v1')] }, { ...rest, kind })?.storage.listKind, 'BoatList');
  });

  test('in no namespace', () => {
    assert.deepEqual(
      [
        made({ versions: [stored('v1')], scope: 'Cluster' })?.storage.namespaced,
        made({ versions: [stored('v1')] })?.storage.namespaced,
      ],
      [false, true],
    );
  });

  test('while it goes, nothing new is made of it, and what is there may be let go of', () => {
    const ending = made({ versions: [stored('v1')], conditions: [{ type: 'Terminating', status: 'True' }] })
      ?.versions[0];
    assert.deepEqual(ending?.info.verbs, ['delete', 'deletecollection', 'get', 'list', 'watch']);
    assert.deepEqual(ending?.answeredVerbs, ['delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']);
    const standing = made({ versions: [stored('v1')], conditions: [{ type: 'Terminating', status: 'False' }] })
      ?.versions[0];
    assert.deepEqual([standing?.info.verbs.includes('create'), standing?.answeredVerbs], [true, undefined]);
  });

  test('who asks for a version on its way out is warned', () => {
    const versions = [
      stored('v1', { deprecated: true }),
      version('v2', { deprecated: true, deprecationWarning: 'go on' }),
      version('v3', { deprecationWarning: 'not yet' }),
    ];
    assert.deepEqual(
      made({ versions })?.versions.map(({ warning }) => warning),
      ['ships.io/v1 Boat is deprecated', 'go on', undefined],
    );
  });

  test('parts, by version', () => {
    const versions = [stored('v1', { subresources: { status: {} } }), version('v2')];
    const [first, second] = made({ versions })?.versions ?? [];
    assert.deepEqual(first?.info.subresources, [{ name: 'status', kind: 'Boat', verbs: ['get', 'patch', 'update'] }]);
    assert.deepEqual([Object.keys(first?.subresources ?? {}), second?.info.subresources], [['status'], []]);
  });

  test('one that is stored is converted only for others; a webhook converts for all', () => {
    const versions = [stored('v1'), version('v2')];
    const converts = (given: Given): boolean[] =>
      (made(given)?.versions ?? []).map(({ conversion }) => conversion !== undefined);
    assert.deepEqual(converts({ versions }), [false, true]);
    assert.deepEqual(converts({ versions, conversion: { strategy: 'None', webhook: {} } }), [false, true]);
    const webhook = {
      strategy: 'Webhook',
      webhook: { clientConfig: { url: 'https://x/' }, conversionReviewVersions: ['v1'] },
    };
    assert.deepEqual(converts({ versions, conversion: webhook }), [true, true]);
    assert.deepEqual(
      made({ versions, conversion: webhook })?.storedVersions?.map(({ info }) => info.version),
      ['v1', 'v2'],
    );
    assert.equal(made({ versions })?.storedVersions, undefined);
  });
});
