import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { ownersOf } from './field-owner.ts';
import type { FieldStep } from './field-paths.ts';

const port = (number: number, protocol: string): FieldStep => ({
  key: String(number),
  item: { containerPort: number, protocol },
});
const ports = (name: string): readonly FieldStep[] => [
  { key: 'spec' },
  { key: 'ports' },
  port(53, name),
  { key: 'name' },
];

const ROWS: readonly (readonly [what: string, fields: unknown, steps: readonly FieldStep[], isOwned: boolean])[] = [
  [
    'an item by both of its keys',
    { 'f:spec': { 'f:ports': { 'k:{"containerPort":53,"protocol":"UDP"}': { 'f:name': {} } } } },
    ports('UDP'),
    true,
  ],
  [
    'its neighbour of the same number',
    { 'f:spec': { 'f:ports': { 'k:{"containerPort":53,"protocol":"UDP"}': { 'f:name': {} } } } },
    ports('TCP'),
    false,
  ],
  ['all that is below a whole', { 'f:spec': { 'f:ports': {} } }, ports('TCP'), true],
  [
    'the item alone, not what is in it',
    { 'f:spec': { 'f:ports': { 'k:{"containerPort":53}': { '.': {} } } } },
    ports('TCP'),
    false,
  ],
  ['nothing, by nothing at all', {}, ports('TCP'), false],
  ['a value of a set, by its JSON', { 'f:a': { 'v:"1"': {} } }, [{ key: 'a' }, { key: '0', item: '1' }], true],
  ['not the number of the same letters', { 'f:a': { 'v:"1"': {} } }, [{ key: 'a' }, { key: '0', item: 1 }], false],
  ['not what every object inherits', { 'f:a': { 'f:b': {} } }, [{ key: 'a' }, { key: 'constructor' }], false],
  ['nothing, where the set is no object', { 'f:a': [] }, [{ key: 'a' }, { key: 'b' }], false],
  ['nothing, where it is a text', 'f:a', [{ key: 'a' }], false],
];
for (const [what, fieldsV1, steps, isOwned] of ROWS) {
  test(`a manager owns ${what}`, () => equal(ownersOf([{ manager: 'm', fieldsV1 }], steps).length, isOwned ? 1 : 0));
}
