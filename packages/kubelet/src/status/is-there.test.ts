import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { PODS } from '@binnacle/api';
import { status as statusErrors } from '@binnacle/machinery';
import { createTestApi } from '../testing/api.ts';
import { testPod } from '../testing/node.ts';
import { isThere } from './is-there.ts';

for (const [uid, wanted] of [
  ['uid-web', true],
  ['another', false],
  [undefined, false],
] as const) {
  test(`of uid-web, where the API has ${uid ?? 'none'} by that name, it has ${wanted ? 'it' : 'nothing'}`, async () => {
    const api = createTestApi(new VirtualClock());
    if (uid !== undefined) api.fake.seed(PODS, testPod({ metadata: { uid } }));
    assert.equal(await isThere(api.client.resource(PODS, 'default'), testPod()), wanted);
  });
}

test('who cannot look does not know', async () => {
  const api = createTestApi(new VirtualClock());
  api.fake.faults.call = () => ({ kind: 'refuse', error: statusErrors.serviceUnavailable('no') });
  await assert.rejects(isThere(api.client.resource(PODS, 'default'), testPod()), { code: 'ServiceUnavailable' });
});
