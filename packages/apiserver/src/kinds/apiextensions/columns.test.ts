import { int64Of } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { customPrinter } from './columns.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
/** Beyond what a double holds. */
const LARGE = int64Of(9007199254740993n);
const OBJECT = {
  metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    text: 'x',
    count: 3,
    ratio: 1.5,
    on: true,
    when: '2026-01-01T12:00:00Z',
    list: [1, { a: 2 }],
    large: LARGE,
    day: '2026-01-01',
  },
} as unknown as KubeObject;

// Provenance: cells as upstream's table convertor makes them.
for (const [type, jsonPath, cell] of [
  ['string', '.spec.text', 'x'],
  ['string', '.spec.count', '3'],
  ['string', '.spec.list', '[1,{"a":2}]'],
  ['string', '.spec.none', null],
  ['integer', '.spec.count', 3],
  ['integer', '.spec.ratio', 1],
  ['integer', '.spec.text', null],
  ['integer', '.spec.large', LARGE],
  ['number', '.spec.large', 9007199254740992],
  ['string', '.spec.large', '9007199254740993'],
  ['number', '.spec.ratio', 1.5],
  ['boolean', '.spec.on', true],
  ['boolean', '.spec.text', null],
  ['date', '.spec.when', '12h'],
  ['date', '.spec.text', '<invalid>'],
  ['date', '.spec.day', '<invalid>'],
] as const) {
  test(`${type} of ${jsonPath}`, () => {
    const printer = customPrinter([{ name: 'C', type, jsonPath }]);
    assert.deepEqual(printer.row(OBJECT, NOW), ['a', cell]);
    assert.equal(
      printer.columns[1]?.description,
      `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    );
  });
}

test('name and age where nothing is asked for', () => {
  const printer = customPrinter(undefined);
  assert.deepEqual(
    printer.columns.map(({ name }) => name),
    ['Name', 'Age'],
  );
  assert.deepEqual(printer.row(OBJECT, NOW), ['a', '24h']);
});

test('a path that cannot be read ends the columns', () => {
  const broken = customPrinter([
    { name: 'A', type: 'string', jsonPath: '.spec.text' },
    { name: 'B', type: 'string', jsonPath: '.spec[' },
  ]);
  assert.deepEqual(
    broken.columns.map(({ name }) => name),
    ['Name', 'A'],
  );
});
