import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock, silentLogger } from '@binnacle/base';
import { RESOURCE_SLICES } from '@binnacle/api';
import { createTestApi } from '../testing/api.ts';
import { wipeSlices } from './slice-wiper.ts';

for (const [name, driver, left] of [
  ['of one that is gone', 'gone', ['away-2', 'here-1', 'late-1']],
  ['of all but those that are here', '', ['away-2', 'here-1']],
] as const) {
  test(`devices of this node: ${name}`, async () => {
    const api = createTestApi(new VirtualClock());
    const slices = api.client.resource(RESOURCE_SLICES);
    for (const [slice, of, nodeName] of [
      ['gone-1', 'gone', 'n'],
      ['here-1', 'here', 'n'],
      ['late-1', 'late', 'n'],
      ['away-2', 'gone', 'm'],
    ] as const) {
      const pool = { name: nodeName, generation: 1, resourceSliceCount: 1 };
      await slices.create({ metadata: { name: slice }, spec: { driver: of, nodeName, pool } });
    }
    const isHere = (one: string): boolean => one === 'here';
    await wipeSlices({ client: api.client, nodeName: 'n', driver, isHere, log: silentLogger });
    const { items } = await slices.list();
    assert.deepEqual(items.map(({ metadata }) => metadata.name).toSorted(), left);
    await api.scope.close();
  });
}
