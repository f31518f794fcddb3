import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Volume } from '@binnacle/api/core/v1';
import { demandOf } from '../plan/demand.ts';
import { makePod } from '../testing/objects.ts';
import { claimsOf } from './pod-volumes.ts';

const byName: Volume = { name: 'data', persistentVolumeClaim: { claimName: 'shared' } };
const ephemeral: Volume = { name: 'scratch', ephemeral: {} };
const ROWS: readonly [
  name: string,
  volumes: readonly Volume[] | undefined,
  wanted: readonly (readonly [string, boolean])[],
][] = [
  ['no volumes', undefined, []],
  ['volumes of other kinds', [{ name: 'tmp', emptyDir: {} }], []],
  ['a claim by its name', [byName], [['shared', false]]],
  ['one that is made for the pod', [ephemeral], [['p-scratch', true]]],
  [
    'in the order of the volumes',
    [ephemeral, { name: 'tmp', emptyDir: {} }, byName],
    [
      ['p-scratch', true],
      ['shared', false],
    ],
  ],
];
for (const [name, volumes, wanted] of ROWS)
  test(`the claims for volumes: ${name}`, () => {
    const demand = demandOf(makePod('p', { namespace: 'ns', ...(volumes === undefined ? {} : { volumes }) }));
    assert.deepEqual(
      claimsOf(demand),
      wanted.map(([claim, isEphemeral]) => ({ key: `ns/${claim}`, name: claim, isEphemeral })),
    );
    assert.deepEqual(
      demand.claims,
      wanted.map(([claim]) => `ns/${claim}`),
      'the same as the demand says',
    );
  });
