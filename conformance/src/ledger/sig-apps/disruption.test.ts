/** Disruption budgets: what they allow, what an eviction meets, and the verbs of the resource. */
import assert from 'node:assert/strict';
import { POD_DISRUPTION_BUDGETS } from '@binnacle/api';
import type { PodDisruptionBudget } from '@binnacle/api/policy/v1';
import { gone, requests, writeAgain } from '../api-operations.ts';
import { makeController, ready, runPod, untilOne, untilPods } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const apiOf = (world: World, namespace = world.namespace) =>
  requests(world, `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`);

const budget = (name: string, minAvailable: number | string, labels: { [name: string]: string } = {}) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, labels },
  spec: { minAvailable, selector: { matchLabels: { app: 'web' } } },
});

const until = (world: World, what: string, holds: (pdb: PodDisruptionBudget) => boolean) =>
  untilOne(world, POD_DISRUPTION_BUDGETS, { name: 'foo', what, until: holds });
const observed = (pdb: PodDisruptionBudget): boolean => pdb.status?.observedGeneration === pdb.metadata.generation;

/** Asks for the eviction of a pod; answers with the code and the answer. */
async function evict(world: World, name: string) {
  const answer = await world.http(`/api/v1/namespaces/${world.namespace}/pods/${name}/eviction`, {
    method: 'POST',
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: world.namespace } },
  });
  type Refusal = { reason?: string; message?: string; details?: { causes?: { reason: string; message: string }[] } };
  return { code: answer.code, status: answer.json<Refusal>() };
}

async function blocked(world: World, name: string): Promise<void> {
  const { code, status } = await evict(world, name);
  assert.equal(code, 429, JSON.stringify(status));
  assert.equal(status.reason, 'TooManyRequests');
  assert.equal(status.message, "Cannot evict pod as it would violate the pod's disruption budget.");
  assert.equal(status.details?.causes?.[0]?.reason, 'DisruptionBudget');
}

behaviours('simulated', 'disruption budgets', (check) => {
  check(
    '[sig-apps] DisruptionController Listing PodDisruptionBudgets for all namespaces should list and delete a collection of PodDisruptionBudgets [Conformance]',
    async (world) => {
      const other = await world.makeNamespace();
      const labels = { ledger: world.namespace };
      const api = apiOf(world);
      await api.create(budget('foo', 2, labels));
      await api.create(budget('foo2', '1%', labels));
      await apiOf(world, other).create(budget('foo3', 2, labels));
      const names = (list: { items: { metadata: { name?: string } }[] }) =>
        list.items.map((one) => one.metadata.name).toSorted();
      const selector = `ledger=${world.namespace}`;
      assert.deepEqual(names(await api.list(selector, '/apis/policy/v1/poddisruptionbudgets')), [
        'foo',
        'foo2',
        'foo3',
      ]);
      assert.deepEqual(names(await api.list(selector)), ['foo', 'foo2']);
      await api.deleteCollection(selector);
      for (const name of ['foo', 'foo2']) await gone(api, name);
      assert.deepEqual(names(await api.list(selector, '/apis/policy/v1/poddisruptionbudgets')), ['foo3']);
    },
  );

  check('[sig-apps] DisruptionController should create a PodDisruptionBudget [Conformance]', async (world) => {
    const api = apiOf(world);
    await api.create(budget('foo', '1%'));
    await until(world, 'processed', observed);
    const minAvailable = (object: { spec?: unknown }) => (object.spec as { minAvailable?: string }).minAvailable;
    const updated = await writeAgain(async () => {
      const seen = await api.get('foo');
      return api.update({ ...seen, spec: { ...(seen.spec as object), minAvailable: '2%' } });
    });
    assert.equal(minAvailable(updated), '2%');
    await until(world, 'processed', observed);
    const patched = await api.patch('foo', { spec: { minAvailable: '3%' } });
    assert.equal(minAvailable(patched), '3%');
    assert.notEqual(patched.metadata.resourceVersion, updated.metadata.resourceVersion);
    await until(world, 'processed', observed);
    await api.delete('foo');
    await gone(api, 'foo');
  });

  check(
    '[sig-apps] DisruptionController should observe PodDisruptionBudget status updated [Conformance]',
    async (world) => {
      await apiOf(world).create(budget('foo', 1));
      await makeController(world, 'web', 3).rs();
      await untilPods(world, { app: 'web', what: 'three' }, ready(3));
      const pdb = await until(world, 'two disruptions allowed', (p) => p.status?.disruptionsAllowed === 2);
      assert.partialDeepStrictEqual(pdb?.status, { currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 });
      assert.equal(pdb?.status?.conditions?.find((c) => c.type === 'DisruptionAllowed')?.status, 'True');
    },
  );

  check(
    '[sig-apps] DisruptionController should update/patch PodDisruptionBudget status [Conformance]',
    async (world) => {
      const api = apiOf(world);
      await api.create(budget('foo', 1));
      await runPod(world, 'web');
      await until(world, 'processed', (p) => observed(p) && p.status?.currentHealthy === 1);
      const disrupted = { web: new Date().toISOString().replace(/\.\d+Z$/, 'Z') };
      const updated = await writeAgain(async () => {
        const seen = await api.get('foo');
        return api.update({ ...seen, status: { ...(seen.status as object), disruptedPods: disrupted } }, '/status');
      });
      assert.partialDeepStrictEqual(updated.status, { disruptedPods: disrupted });
      assert.partialDeepStrictEqual((await api.get('foo', '/status')).status, { disruptedPods: disrupted });
      const patched = await api.patch('foo', { status: { disruptedPods: { web: null } } }, '/status');
      assert.deepEqual((patched.status as { disruptedPods?: object }).disruptedPods ?? {}, {});
    },
  );

  check(
    '[sig-apps] DisruptionController should block an eviction until the PDB is updated to allow it [Conformance]',
    async (world) => {
      const api = apiOf(world);
      await api.create(budget('foo', 3));
      await makeController(world, 'web', 3).rs();
      const [pod] = await untilPods(world, { app: 'web', what: 'three' }, ready(3));
      const name = pod?.metadata.name ?? '';
      await blocked(world, name);
      await until(world, 'three healthy', (p) => p.status?.currentHealthy === 3);
      await blocked(world, name);
      await api.patch('foo', { spec: { minAvailable: 2 } });
      await until(world, 'one allowed', (p) => observed(p) && p.status?.disruptionsAllowed === 1);
      assert.equal((await evict(world, name)).code, 201);
      const replaced = await untilPods(
        world,
        { app: 'web', what: 'three again' },
        (all) => ready(3)(all) && all.every((p) => p.metadata.name !== name),
      );
      await api.patch('foo', { spec: { minAvailable: null, maxUnavailable: 0 } });
      await until(world, 'none allowed', (p) => observed(p) && p.status?.disruptionsAllowed === 0);
      const other = replaced[0]?.metadata.name ?? '';
      await blocked(world, other);
      await api.delete('foo');
      await gone(api, 'foo');
      assert.equal((await evict(world, other)).code, 201);
    },
  );
});
