import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLUSTER_TRUST_BUNDLES, RESOURCES_ON_REQUEST } from '@binnacle/api';
import type { ClusterTrustBundle } from '@binnacle/api/certificates/v1beta1';
import { VirtualClock } from '@binnacle/base';
import { createTestApi } from '../testing/api.ts';
import type { TestApi } from '../testing/api.ts';
import { pass } from '../testing/node.ts';
import { TrustBundles } from './trust-bundles.ts';

type Labels = { readonly [key: string]: string };

const bundle = (name: string, signerName?: string, labels: Labels = {}): ClusterTrustBundle => ({
  metadata: { name, uid: name, labels },
  spec: { ...(signerName === undefined ? {} : { signerName }), trustBundle: 'x' },
});
const namesOf = (bundles: readonly ClusterTrustBundle[]): unknown => bundles.map(({ metadata }) => metadata.name);

class Counting {
  changes = 0;

  changed(): void {
    this.changes++;
  }
}

function start(clock: VirtualClock): { readonly api: TestApi; readonly bundles: TrustBundles } {
  const api = createTestApi(clock, RESOURCES_ON_REQUEST);
  const seeds = [bundle('plain'), bundle('a.b:c:1', 'a.b/c', { x: 'y' }), bundle('a.b:c:2', 'a.b/c')];
  for (const one of seeds) api.fake.seed(CLUSTER_TRUST_BUNDLES, one);
  return { api, bundles: new TrustBundles(api) };
}

test('bundles are chosen by name, or by signer and labels: nothing said of labels is none, nothing in them is all', async () => {
  const clock = new VirtualClock();
  const { api, bundles } = start(clock);
  const holder = new Counting();
  const rows = [
    [{ name: 'plain' }, ['plain']],
    [{ name: 'none' }, []],
    [{ signerName: 'a.b/c' }, []],
    [{ signerName: 'a.b/c', labelSelector: {} }, ['a.b:c:1', 'a.b:c:2']],
    [{ signerName: 'a.b/c', labelSelector: { matchLabels: { x: 'y' } } }, ['a.b:c:1']],
    [{ signerName: 'a.b/d', labelSelector: {} }, []],
  ] as const;
  for (const [wish, found] of rows) {
    const reading = bundles.read(wish, holder);
    await pass(clock, 50);
    assert.deepEqual(namesOf(await reading), found, JSON.stringify(wish));
  }
  const values = Array.from({ length: 3000 }, (_, at) => `${at}${'v'.repeat(50)}`);
  const labelSelector = { matchExpressions: [{ key: 'a', operator: 'In', values }] } as const;
  await assert.rejects(bundles.read({ signerName: 'a.b/c', labelSelector }, holder), /is larger than 102400$/);
  assert.equal(api.fake.watchCount, 1);
  assert.equal(holder.changes, 0);
  await api.scope.close();
});

test('who asked for a bundle or a signer hears of it, and of nothing else, until they are released', async () => {
  const clock = new VirtualClock();
  const { api, bundles } = start(clock);
  const [byName, bySigner] = [new Counting(), new Counting()];
  const reading = Promise.all([
    bundles.read({ name: 'plain' }, byName),
    bundles.read({ signerName: 'a.b/c', labelSelector: {} }, bySigner),
  ]);
  await pass(clock, 50);
  await reading;
  const seed = async (one: ClusterTrustBundle): Promise<void> => {
    api.fake.seed(CLUSTER_TRUST_BUNDLES, one);
    await pass(clock, 50);
  };
  await seed(bundle('other'));
  assert.deepEqual([byName.changes, bySigner.changes], [0, 0]);
  await seed(bundle('plain', undefined, { z: 'z' }));
  assert.deepEqual([byName.changes, bySigner.changes], [1, 0]);
  await seed(bundle('a.b:c:3', 'a.b/c'));
  assert.deepEqual([byName.changes, bySigner.changes], [1, 1]);
  const all = await bundles.read({ signerName: 'a.b/c', labelSelector: {} }, bySigner);
  assert.deepEqual(namesOf(all), ['a.b:c:1', 'a.b:c:2', 'a.b:c:3']);
  await api.client.resource(CLUSTER_TRUST_BUNDLES).delete('a.b:c:1');
  await pass(clock, 50);
  assert.deepEqual([byName.changes, bySigner.changes], [1, 2]);
  bundles.release(bySigner);
  await seed(bundle('a.b:c:4', 'a.b/c'));
  assert.deepEqual([byName.changes, bySigner.changes], [1, 2]);
  await api.scope.close();
});

test('a server that does not serve them is asked again with the next question', async () => {
  const clock = new VirtualClock();
  const api = createTestApi(clock);
  const bundles = new TrustBundles(api);
  for (let round = 0; round < 2; round++) {
    const refused = assert.rejects(bundles.read({ name: 'a' }, new Counting()), /serves no ClusterTrustBundles/);
    await pass(clock, 50);
    await refused;
  }
  assert.equal(api.fake.watchCount, 0);
  await api.scope.close();
});
