import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '@binnacle/api/apiextensions/v1';
import assert from 'node:assert/strict';
import test from 'node:test';
import { decideNames } from './accepted-names.ts';

const BOATS: CustomResourceDefinitionNames = {
  plural: 'boats',
  singular: 'boat',
  kind: 'Boat',
  listKind: 'BoatList',
  shortNames: ['bt'],
};

function named(
  names: Partial<CustomResourceDefinitionNames>,
  accepted?: CustomResourceDefinitionNames,
): CustomResourceDefinition {
  const status =
    accepted === undefined ? {} : { status: { conditions: [], acceptedNames: accepted, storedVersions: [] } };
  return {
    metadata: { name: 'x' },
    spec: { group: 'ships.io', names: { ...BOATS, ...names }, scope: 'Namespaced', versions: [] },
    ...status,
  };
}

const OTHERS = [named({}, BOATS)];
const FREE = { plural: 'ships', singular: 'ship', kind: 'Ship', listKind: 'ShipList', shortNames: ['sh'] };

test('free names are accepted, and the kind is established', () => {
  const { acceptedNames, conditions, isEstablished } = decideNames(named({}), []);
  assert.deepEqual([acceptedNames, isEstablished], [BOATS, true]);
  assert.deepEqual(
    conditions.map(({ type, status, reason }) => [type, status, reason]),
    [
      ['NamesAccepted', 'True', 'NoConflicts'],
      ['Established', 'True', 'InitialNamesAccepted'],
    ],
  );
});

// Provenance: reasons and messages of upstream's naming controller.
for (const [field, taken, reason, message] of [
  ['plural', 'boats', 'PluralConflict', '"boats" is already in use'],
  ['plural', 'bt', 'PluralConflict', '"bt" is already in use'],
  ['singular', 'boat', 'SingularConflict', '"boat" is already in use'],
  ['shortNames', ['bt'], 'ShortNamesConflict', '"bt" is already in use'],
  ['shortNames', ['bt', 'boat'], 'ShortNamesConflict', '["bt" is already in use, "boat" is already in use]'],
  ['kind', 'Boat', 'KindConflict', '"Boat" is already in use'],
  ['listKind', 'BoatList', 'ListKindConflict', '"BoatList" is already in use'],
] as const) {
  test(`${field} that somebody has: ${message}`, () => {
    const { acceptedNames, conditions, isEstablished } = decideNames(named({ ...FREE, [field]: taken }), OTHERS);
    assert.equal(isEstablished, false);
    assert.deepEqual([conditions[0]?.reason, conditions[0]?.message], [reason, message]);
    assert.deepEqual([conditions[1]?.status, conditions[1]?.reason], ['False', 'NotAccepted']);
    assert.ok(!(field in acceptedNames) || acceptedNames[field] === '', field);
  });
}

test('what is established stays so when a new name is taken, under the old names', () => {
  const before = named({ ...FREE, shortNames: ['bt'] }, FREE);
  const established = { type: 'Established', status: 'True' };
  const definition = { ...before, status: { storedVersions: [], acceptedNames: FREE, conditions: [established] } };
  const { acceptedNames, conditions, isEstablished } = decideNames(definition, OTHERS);
  assert.deepEqual([acceptedNames.shortNames, isEstablished], [['sh'], true]);
  assert.deepEqual(conditions, [
    { type: 'NamesAccepted', status: 'False', reason: 'ShortNamesConflict', message: '"bt" is already in use' },
    established,
  ]);
});
