/** What one object holds against another takes time in proportion to both together: sizes 1, 4 and 16. */
import { equal } from 'node:assert/strict';
import test from 'node:test';
import { readFieldSet } from './apply/field-set.ts';
import { applyConfiguration, entriesAfterUpdate, readOwners } from './apply/managed-fields.ts';
import { shapeOfStruct } from './apply/shape.ts';
import { createSchemaRegistry } from './schema/registry.ts';
import { matchesFields, parseFieldSelector } from './selector/field-selector.ts';
import { matchesLabels, parseLabelSelector } from './selector/label-selector.ts';
import { superlinear } from './testing/growth.ts';

const schemas = createSchemaRegistry({ Thing: { fields: { data: { type: '{}string', omitEmpty: true } } } });
const rules = { shape: shapeOfStruct(schemas, 'Thing'), reset: readFieldSet({}) };
const writer = { manager: 'me', apiVersion: 'v1', subresource: '', time: '2026-01-01T00:00:00Z' };
const at = { writer, rules };

const dataOf = (size: number, value: string): object => ({
  data: Object.fromEntries(Array.from({ length: size }, (_, i) => [`k${i}`, value])),
});
/** As many owners, each with a field of its own. */
const ownersOf = (size: number, operation: 'Apply' | 'Update', key = 'k') =>
  readOwners(
    Array.from({ length: size }, (_, i) => ({
      manager: `m${i}`,
      operation,
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { [`f:${key}${i}`]: {} } },
    })),
  );
const numbered = (size: number, text: (i: number) => string): string =>
  Array.from({ length: size }, (_, i) => text(i)).join(',');

type Row = readonly [name: string, size: number, prepare: (size: number) => unknown, run: (input: never) => void];
const ROWS: readonly Row[] = [
  [
    'updaters that become one',
    200,
    (n) => ({ owners: ownersOf(n, 'Update'), change: { before: dataOf(1, 'a'), after: dataOf(1, 'a') } }),
    ({ owners, change }: { owners: ReturnType<typeof ownersOf>; change: { before: object; after: object } }) =>
      void entriesAfterUpdate(owners, change, at),
  ],
  [
    'a change of many fields beside many owners of others',
    200,
    (n) => ({ owners: ownersOf(n, 'Apply', 'other'), change: { before: dataOf(n, 'a'), after: dataOf(n, 'b') } }),
    ({ owners, change }: { owners: ReturnType<typeof ownersOf>; change: { before: object; after: object } }) =>
      void entriesAfterUpdate(owners, change, at),
  ],
  [
    'an apply of fewer fields beside many appliers',
    200,
    (n) => {
      const owners = new Map(ownersOf(n, 'Apply', 'other'));
      const mine = { operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', manager: 'me' };
      for (const [id, owner] of readOwners([{ ...mine, fieldsV1: { 'f:data': { 'f:gone': {} } } }]) ?? [])
        owners.set(id, owner);
      return { owners, live: dataOf(n, 'a'), configuration: dataOf(n, 'b'), force: true };
    },
    (request: Parameters<typeof applyConfiguration>[0]) => void applyConfiguration(request, at),
  ],
  [
    'many conditions on each of many objects',
    200,
    (n) => [parseLabelSelector(numbered(n, (i) => `!k${i}`)), n],
    ([selector, n]: [ReturnType<typeof parseLabelSelector>, number]) => {
      for (let i = 0; i < n; i++) matchesLabels(selector, { a: 'b' });
    },
  ],
  [
    'many values on each of many objects',
    500,
    (n) => [parseLabelSelector(`a notin (${numbered(n, (i) => `v${i}`)})`), n],
    ([selector, n]: [ReturnType<typeof parseLabelSelector>, number]) => {
      for (let i = 0; i < n; i++) matchesLabels(selector, { a: 'b' });
    },
  ],
  [
    'many terms on each of many objects',
    200,
    (n) => [parseFieldSelector(numbered(n, (i) => `metadata.name!=v${i}`)), n],
    ([selector, n]: [ReturnType<typeof parseFieldSelector>, number]) => {
      for (let i = 0; i < n; i++) matchesFields(selector, () => 'b');
    },
  ],
];

const cpuMicros = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
for (const [name, size, prepare, run] of ROWS) {
  test(name, () =>
    equal(
      superlinear(prepare, (input) => run(input as never), { cpuMicros, size }),
      undefined,
    ),
  );
}
