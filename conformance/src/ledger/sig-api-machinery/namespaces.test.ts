import assert from 'node:assert/strict';
import { CONFIG_MAPS, NAMESPACES, PODS, SERVICES } from '@binnacle/api';
import { podOf, untilOne } from '../objects.ts';
import { requests } from '../api-operations.ts';
import { behaviours } from '../world.ts';

behaviours('simulated', 'namespaces', (check) => {
  check(
    '[sig-api-machinery] Namespaces [Serial] should ensure that all pods are removed when a namespace is deleted [Conformance]',
    async (world) => {
      const name = await world.makeNamespace();
      await world.client.resource(PODS, name).create(podOf('test-pod', {}));
      await untilOne(world, PODS, {
        name: 'test-pod',
        namespace: name,
        what: 'running',
        until: (p) => p.status?.phase === 'Running',
      });
      await world.client.resource(NAMESPACES).delete(name);
      await untilOne(world, NAMESPACES, { name, what: 'gone' });
      await world.client.resource(NAMESPACES).create({ metadata: { name }, spec: {} });
      assert.deepEqual(
        (await world.client.resource(PODS, name).list()).items,
        [],
        'nothing in the namespace of the same name',
      );
    },
  );

  check(
    '[sig-api-machinery] Namespaces [Serial] should ensure that all services are removed when a namespace is deleted [Conformance]',
    async (world) => {
      const name = await world.makeNamespace();
      await world.client.resource(SERVICES, name).create({
        metadata: { name: 'test-service' },
        spec: { selector: { foo: 'bar' }, ports: [{ port: 80, targetPort: 80 }] },
      });
      await world.client.resource(NAMESPACES).delete(name);
      await untilOne(world, NAMESPACES, { name, what: 'gone' });
      await world.client.resource(NAMESPACES).create({ metadata: { name }, spec: {} });
      assert.deepEqual((await world.client.resource(SERVICES, name).list()).items, []);
    },
  );

  check(
    '[sig-api-machinery] OrderedNamespaceDeletion namespace deletion should delete pod first [Conformance]',
    async (world) => {
      const name = await world.makeNamespace();
      const pods = world.client.resource(PODS, name);
      await pods.create(podOf('pod', {}, { finalizers: ['e2e.example.com/finalizer'] }));
      await world.client.resource(CONFIG_MAPS, name).create({ metadata: { name: 'cm' } });
      await world.client.resource(NAMESPACES).delete(name);
      const remaining = await untilOne(world, NAMESPACES, {
        name,
        what: 'waiting for the pod',
        until: (ns) =>
          ns.status?.conditions?.some((c) => c.type === 'NamespaceContentRemaining' && c.status === 'True') === true,
      });
      assert.equal(remaining?.status?.phase, 'Terminating');
      assert.equal(
        (await world.client.resource(CONFIG_MAPS, name).get('cm')).metadata.deletionTimestamp,
        undefined,
        'the config map waits for the pods',
      );
      await pods.patch('pod', 'merge', { metadata: { finalizers: null } });
      await untilOne(world, NAMESPACES, { name, what: 'gone' });
    },
  );

  check('[sig-api-machinery] Namespaces [Serial] should patch a Namespace [Conformance]', async (world) => {
    const patched = await world.client
      .resource(NAMESPACES)
      .patch(world.namespace, 'strategic', { metadata: { labels: { testLabel: 'testValue' } } });
    assert.equal(patched.metadata.labels?.['testLabel'], 'testValue');
    assert.equal(
      (await world.client.resource(NAMESPACES).get(world.namespace)).metadata.labels?.['testLabel'],
      'testValue',
    );
  });

  check(
    '[sig-api-machinery] Namespaces [Serial] should apply an update to a Namespace [Conformance]',
    async (world) => {
      const api = requests(world, '/api/v1/namespaces');
      const seen = await api.get(world.namespace);
      const updated = await api.update({
        ...seen,
        metadata: { ...seen.metadata, labels: { ...seen.metadata.labels, updated: 'yes' } },
      });
      assert.equal(updated.metadata.labels?.['updated'], 'yes');
      assert.equal((await api.get(world.namespace)).metadata.labels?.['updated'], 'yes');
    },
  );

  check(
    '[sig-api-machinery] Namespaces [Serial] should apply changes to a namespace status [Conformance]',
    async (world) => {
      const api = requests(world, '/api/v1/namespaces');
      const seen = await api.get(world.namespace, '/status');
      assert.equal((seen.status as { phase: string }).phase, 'Active');
      const condition = { type: 'StatusPatch', status: 'True', reason: 'E2E', message: 'Patched by an e2e test' };
      const patched = await api.patch(
        world.namespace,
        { metadata: { annotations: { 'e2e-patched': 'true' } }, status: { conditions: [condition] } },
        '/status',
      );
      assert.equal(patched.metadata.annotations?.['e2e-patched'], 'true');
      assert.partialDeepStrictEqual(patched.status, { phase: 'Active', conditions: [condition] });
      const next = { ...condition, type: 'StatusUpdate', message: 'Updated by an e2e test' };
      const updated = await api.update(
        { ...patched, status: { phase: 'Active', conditions: [condition, next] } },
        '/status',
      );
      assert.partialDeepStrictEqual(updated.status, { conditions: [condition, next] });
      assert.partialDeepStrictEqual((await api.get(world.namespace)).status, { conditions: [condition, next] });
    },
  );

  check(
    '[sig-api-machinery] Namespaces [Serial] should apply a finalizer to a Namespace [Conformance]',
    async (world) => {
      const name = await world.makeNamespace();
      const api = requests(world, '/api/v1/namespaces');
      const fake = 'e2e.example.com/fakeFinalizer';
      const seen = await api.get(name);
      const spec = seen.spec as { finalizers: string[] };
      const updated = await api.update({ ...seen, spec: { finalizers: [...spec.finalizers, fake] } }, '/finalize');
      assert.deepEqual((updated.spec as { finalizers: string[] }).finalizers, ['kubernetes', fake]);
      const removed = await api.update({ ...updated, spec: { finalizers: ['kubernetes'] } }, '/finalize');
      assert.deepEqual((removed.spec as { finalizers: string[] }).finalizers, ['kubernetes']);
      assert.deepEqual(((await api.get(name)).spec as { finalizers: string[] }).finalizers, ['kubernetes']);
    },
  );
});
