import assert from 'node:assert/strict';
import { SERVICES } from '@binnacle/api';
import { eventsSince, gone, requests, writeAgain } from '../api-operations.ts';
import { behaviours } from '../world.ts';

behaviours('simulated', 'services and endpoints as resources', (check) => {
  check('[sig-network] API Server should provide secure master service [Conformance]', async (world) => {
    const service = await world.client.resource(SERVICES, 'default').get('kubernetes');
    assert.ok(service.spec.ports?.some((p) => p.port === 443 && p.name === 'https'));
  });

  check('[sig-network] Services should find a service from listing all namespaces [Conformance]', async (world) => {
    const all = await world.client.resource(SERVICES).list();
    assert.ok(all.items.some((s) => s.metadata.name === 'kubernetes' && s.metadata.namespace === 'default'));
  });

  const service = (name: string, labels: object) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels: { ...labels } },
    spec: { type: 'ClusterIP', ports: [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 80 }] },
  });

  check('[sig-network] Services should delete a collection of services [Conformance]', async (world) => {
    const api = requests(world, `/api/v1/namespaces/${world.namespace}/services`);
    for (const [name, collect] of [
      ['e2e-svc-a', true],
      ['e2e-svc-b', true],
      ['e2e-svc-c', false],
    ] as const) {
      await api.create(service(name, collect ? { 'e2e-svc-a-b': 'true' } : { other: 'true' }));
    }
    assert.equal((await api.list()).items.length, 3);
    await api.deleteCollection('e2e-svc-a-b=true');
    assert.deepEqual(
      (await api.list()).items.map((s) => s.metadata.name),
      ['e2e-svc-c'],
    );
  });

  check('[sig-network] Services should complete a service status lifecycle [Conformance]', async (world) => {
    const api = requests(world, `/api/v1/namespaces/${world.namespace}/services`);
    const { resourceVersion } = (await api.list()).metadata;
    await api.create({
      ...service('test-service', { 'test-service-static': 'true' }),
      spec: { type: 'LoadBalancer', ports: [{ name: 'http', protocol: 'TCP', port: 80 }] },
    });
    assert.equal(
      (await api.list('test-service-static=true', '/api/v1/services')).items.filter(
        (s) => s.metadata.namespace === world.namespace,
      ).length,
      1,
    );
    assert.deepEqual((await api.get('test-service', '/status')).status, { loadBalancer: {} });
    const balanced = await api.patch(
      'test-service',
      {
        metadata: { annotations: { patchedstatus: 'true' } },
        status: { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } },
      },
      '/status',
    );
    assert.equal(balanced.metadata.annotations?.['patchedstatus'], 'true');
    assert.partialDeepStrictEqual(balanced.status, { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } });
    const condition = {
      type: 'StatusUpdate',
      status: 'True',
      reason: 'E2E',
      message: 'Set from e2e test',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const updated = await writeAgain(async () => {
      const now = await api.get('test-service', '/status');
      return api.update({ ...now, status: { ...(now.status as object), conditions: [condition] } }, '/status');
    });
    assert.partialDeepStrictEqual(updated.status, { conditions: [condition] });
    const patched = await api.strategic('test-service', { metadata: { labels: { 'test-service': 'patched' } } });
    assert.equal(patched.metadata.labels?.['test-service'], 'patched');
    await api.delete('test-service');
    await gone(api, 'test-service');
    const path = `/api/v1/namespaces/${world.namespace}/services`;
    const events = await eventsSince(world, { path, resourceVersion }, (all) => all.at(-1)?.type === 'DELETED');
    assert.equal(events[0]?.type, 'ADDED');
  });

  check('[sig-network] Endpoints should test the lifecycle of an Endpoint [Conformance]', async (world) => {
    const api = requests(world, `/api/v1/namespaces/${world.namespace}/endpoints`);
    const { resourceVersion } = (await api.list()).metadata;
    const subset = (ip: string, port: number) => ({
      addresses: [{ ip }],
      ports: [{ name: 'http', port, protocol: 'TCP' }],
    });
    const made = await api.create({
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'testservice', labels: { 'test-endpoint-static': 'true' } },
      subsets: [subset('10.0.0.24', 80)],
    });
    await api.update({
      ...made,
      metadata: { ...made.metadata, labels: { ...made.metadata.labels, 'test-service': 'updated' } },
    });
    assert.equal((await api.get('testservice')).metadata.labels?.['test-service'], 'updated');
    await api.strategic('testservice', {
      metadata: { labels: { 'test-service': 'patched' } },
      subsets: [subset('10.0.0.25', 8080)],
    });
    const patched = await api.get('testservice');
    assert.equal(patched.metadata.labels?.['test-service'], 'patched');
    assert.deepEqual(patched['subsets'], [subset('10.0.0.25', 8080)]);
    await api.deleteCollection('test-endpoint-static=true');
    await api.missing('testservice');
    const events = await eventsSince(
      world,
      {
        path: `/api/v1/namespaces/${world.namespace}/endpoints`,
        resourceVersion,
        labelSelector: 'test-endpoint-static=true',
      },
      (all) => all.at(-1)?.type === 'DELETED',
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED'],
    );
  });

  check(
    '[sig-network] ServiceCIDR and IPAddress API should support ServiceCIDR API operations [Conformance]',
    async (world) => {
      const path = '/apis/networking.k8s.io/v1/servicecidrs';
      const api = requests(world, path);
      const name = `cidr-${world.namespace}`;
      // A range of documentation addresses: no service is given one while this runs.
      const made = await api.create({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'ServiceCIDR',
        metadata: { name, labels: { ledger: name } },
        spec: { cidrs: ['192.0.2.0/28'] },
      });
      assert.deepEqual(made.spec, { cidrs: ['192.0.2.0/28'] });
      assert.equal((await api.get(name)).metadata.name, name);
      assert.equal((await api.list(`ledger=${name}`)).items.length, 1);
      const patched = await api.patch(name, { metadata: { annotations: { patched: 'true' } } });
      assert.equal(patched.metadata.annotations?.['patched'], 'true');
      const condition = {
        type: 'StatusUpdate',
        status: 'True',
        reason: 'E2E',
        message: 'Set from e2e test',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      };
      const status = await api.patch(name, { status: { conditions: [condition] } }, '/status');
      assert.partialDeepStrictEqual(status.status, { conditions: [condition] });
      // The controller of ranges puts its finalizer and its own condition back, whenever it comes to that.
      const told = await writeAgain(async () => api.update(await api.get(name, '/status'), '/status'));
      assert.partialDeepStrictEqual(told.status, { conditions: [condition] });
      const updated = await writeAgain(async () => {
        const seen = await api.get(name);
        return api.update({ ...seen, metadata: { ...seen.metadata, annotations: { updated: 'true' } } });
      });
      assert.equal(updated.metadata.annotations?.['updated'], 'true');
      // A range that goes is kept for ten seconds, in which no address of it is given: both go in the same ten.
      await api.create({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'ServiceCIDR',
        metadata: { name: `${name}-2`, labels: { collected: name } },
        spec: { cidrs: ['192.0.2.16/28'] },
      });
      await api.delete(name);
      await api.deleteCollection(`collected=${name}`);
      await gone(api, name);
      await gone(api, `${name}-2`);
    },
  );
});
