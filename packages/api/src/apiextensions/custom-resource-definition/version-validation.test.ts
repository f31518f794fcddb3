import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce, walkInPieces } from '@binnacle/base';
import type { CustomResourceDefinitionVersion } from '../../generated/apiextensions-v1.ts';
import { Report } from '../../validation/report.ts';
import { validateVersions } from './version-validation.ts';

type Version = CustomResourceDefinitionVersion;

const OBJECT = { openAPIV3Schema: { type: 'object' } };
const WITHOUT_TYPE = { openAPIV3Schema: { properties: { a: {} } } };
const version = (name: string, more: Partial<Version> = {}): Version => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: OBJECT,
  ...more,
});

/** Versions, those that were there before, and the fields that something is wrong with. */
const ROWS: readonly [name: string, now: readonly Version[], before: readonly Version[], ...wrong: string[]][] = [
  ['one', [version('v1')], []],
  ['two', [version('v1'), version('v2')], []],
  ['none', [], [], 'spec.versions'],
  ['the same name twice', [version('v2', { storage: true }), version('v2')], [], 'spec.versions'],
  ['two that are stored', [version('v1'), version('v2', { storage: true })], [], 'spec.versions'],
  ['a name that is none', [version('v1'), version('V_2')], [], 'spec.versions[1].name'],
  ['a first name that is none', [version('1', { storage: true })], [], 'spec.versions[0].name', 'spec.version'],
  [
    'a warning of one that is not deprecated',
    [version('v1', { deprecationWarning: 'x' })],
    [],
    'spec.versions[0].deprecationWarning',
  ],
  ['no schema', [version('v1', { schema: {} })], [], 'spec.versions[0].schema.openAPIV3Schema'],
  [
    'a schema that is not structural',
    [version('v1', { schema: WITHOUT_TYPE })],
    [],
    'spec.validation.openAPIV3Schema.properties[a].type',
    'spec.validation.openAPIV3Schema.type',
  ],
  [
    'a schema that was taken before',
    [version('v1', { schema: WITHOUT_TYPE })],
    [version('v1', { schema: structuredClone(WITHOUT_TYPE) })],
  ],
  [
    'a schema of another version from before',
    [version('v1'), version('v2', { schema: WITHOUT_TYPE })],
    [version('v1', { schema: WITHOUT_TYPE })],
    'spec.versions[1].schema.openAPIV3Schema.properties[a].type',
    'spec.versions[1].schema.openAPIV3Schema.type',
  ],
  [
    'paths of a scale that are none',
    [version('v1', { subresources: { scale: { specReplicasPath: 'x', statusReplicasPath: '.status.n' } } })],
    [],
    'spec.subresources.scale.specReplicasPath',
  ],
  [
    'a column of no type',
    [version('v1', { additionalPrinterColumns: [{ name: 'a', type: 'x', jsonPath: '.a' }] })],
    [],
    'spec.additionalPrinterColumns[0].type',
  ],
];

for (const [name, now, before, ...wrong] of ROWS) {
  test(`versions of a definition: ${name}`, () => {
    const report = new Report();
    atOnce(walkInPieces(validateVersions(now, before, report)));
    assert.deepEqual(report.errors.map(({ field }) => field).toSorted(), wrong.toSorted());
  });
}
