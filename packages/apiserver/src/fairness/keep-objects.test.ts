import assert from 'node:assert/strict';
import test from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { AUTO_UPDATE, suggestedObjects } from './default-objects.ts';
import { repairOf } from './keep-objects.ts';
import type { Repair } from './keep-objects.ts';

const [WANTED] = suggestedObjects().levels;

function changed(annotation: string | undefined, generation: number, spec: object | undefined): KubeObject {
  assert.ok(WANTED !== undefined);
  const annotations = annotation === undefined ? {} : { [AUTO_UPDATE]: annotation };
  const object = { ...WANTED, metadata: { name: 'system', annotations, generation } };
  const other: KubeObject & { spec: object } = { ...object, spec: { ...WANTED.spec, ...spec } };
  return spec === undefined ? object : other;
}

const OTHER = { limited: { nominalConcurrencyShares: 1 } };
type Row = readonly [name: string, existing: KubeObject | undefined, mandatory: boolean, repair: Repair];

const ROWS: readonly Row[] = [
  ['missing', undefined, false, { kind: 'create' }],
  ['as it should be', changed('true', 1, undefined), false, undefined],
  [
    'changed, and left to the server',
    changed('true', 2, OTHER),
    false,
    { kind: 'revise', spec: true, annotation: true },
  ],
  ['changed, and taken over', changed('false', 2, OTHER), false, undefined],
  ['mandatory, and taken over', changed('false', 2, OTHER), true, { kind: 'revise', spec: true, annotation: true }],
  [
    'mandatory, as it should be but for the annotation',
    changed('no', 1, undefined),
    true,
    { kind: 'revise', spec: false, annotation: true },
  ],
  [
    'never changed, without annotation',
    changed(undefined, 1, undefined),
    false,
    { kind: 'revise', spec: false, annotation: true },
  ],
  [
    'changed, without annotation',
    changed(undefined, 2, OTHER),
    false,
    { kind: 'revise', spec: false, annotation: false },
  ],
  [
    'changed, with an annotation that says nothing',
    changed('?', 3, OTHER),
    false,
    { kind: 'revise', spec: false, annotation: false },
  ],
];

for (const [name, existing, mandatory, repair] of ROWS) {
  test(name, () => {
    assert.ok(WANTED !== undefined);
    assert.deepEqual(repairOf(WANTED, existing, mandatory), repair);
  });
}
