/** What sig-node and sig-scheduling promise of resources beside running pods: verbs, refusals, immutable fields. */
import assert from 'node:assert/strict';
import { CONFIG_MAPS, SECRETS } from '@binnacle/api';
import { StatusError } from '@binnacle/machinery';
import { apiOperations, gone, requests } from '../api-operations.ts';
import { template } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const refused = (code: number, message: RegExp) => (error: unknown) =>
  error instanceof StatusError && error.httpCode === code && message.test(error.message);

behaviours('simulated', 'config maps and secrets as resources', (check) => {
  check('[sig-node] ConfigMap should fail to create ConfigMap with empty key [Conformance]', async (world) => {
    await assert.rejects(
      world.client
        .resource(CONFIG_MAPS, world.namespace)
        .create({ metadata: { name: 'empty' }, data: { '': 'value-1' } }),
      refused(422, /ConfigMap "empty" is invalid: data\[\]: Invalid value: ""/),
    );
  });

  check('[sig-node] Secrets should fail to create secret due to empty secret key [Conformance]', async (world) => {
    await assert.rejects(
      world.client
        .resource(SECRETS, world.namespace)
        .create({ metadata: { name: 'empty' }, data: { '': 'dmFsdWUtMQ==' } }),
      refused(422, /Secret "empty" is invalid: data\[\]: Invalid value: ""/),
    );
  });

  check('[sig-node] ConfigMap should update ConfigMap successfully [NodeConformance] [Conformance]', async (world) => {
    const api = requests(world, `/api/v1/namespaces/${world.namespace}/configmaps`);
    const made = await api.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } });
    await api.update({ ...made, data: { data: 'value' } });
    assert.deepEqual((await api.get('m'))['data'], { data: 'value' });
  });

  check('[sig-node] ConfigMap should run through a ConfigMap lifecycle [Conformance]', async (world) => {
    const api = requests(world, `/api/v1/namespaces/${world.namespace}/configmaps`);
    const label = `cm-${world.namespace}`;
    await api.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'test-configmap', labels: { 'test-configmap-static': label } },
      data: { valueName: 'value' },
    });
    const patch = { metadata: { labels: { 'test-configmap': 'patched' } }, data: { valueName: 'value1' } };
    await api.strategic('test-configmap', patch);
    const seen = await api.get('test-configmap');
    assert.equal(seen.metadata.labels?.['test-configmap'], 'patched');
    assert.deepEqual(seen['data'], { valueName: 'value1' });
    const listed = await api.list(`test-configmap-static=${label}`, '/api/v1/configmaps');
    assert.deepEqual(
      listed.items.map((m) => m['data']),
      [{ valueName: 'value1' }],
    );
    await api.deleteCollection(`test-configmap-static=${label}`);
    assert.deepEqual((await api.list(`test-configmap-static=${label}`)).items, []);
  });

  check('[sig-node] Secrets should patch a secret [Conformance]', async (world) => {
    const api = requests(world, `/api/v1/namespaces/${world.namespace}/secrets`);
    await api.create({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: { name: 'test-secret', labels: { testsecret: 'true' } },
      data: { key: Buffer.from('value').toString('base64') },
    });
    assert.equal(
      (await api.list('testsecret=true', '/api/v1/secrets')).items.filter(
        (s) => s.metadata.namespace === world.namespace,
      ).length,
      1,
    );
    const key = Buffer.from('value1').toString('base64');
    await api.strategic('test-secret', { metadata: { labels: { testsecret: 'false' } }, data: { key } });
    const seen = await api.get('test-secret');
    assert.deepEqual(seen['data'], { key });
    assert.equal(seen.metadata.labels?.['testsecret'], 'false');
    await api.deleteCollection('testsecret=false');
    assert.deepEqual((await api.list('testsecret=false')).items, []);
  });

  const immutable = (kind: 'ConfigMap' | 'Secret', data: (text: string) => object) => async (world: World) => {
    const resource = kind === 'Secret' ? 'secrets' : 'configmaps';
    const path = `/api/v1/namespaces/${world.namespace}/${resource}`;
    const api = requests(world, path);
    const made = await api.create({ apiVersion: 'v1', kind, metadata: { name: 'immutable' }, data: data('value-1') });
    const changed = await api.update({ ...made, data: data('value-2') });
    const sealed = await api.update({ ...changed, immutable: true });
    const data3 = await api.refused(
      { method: 'PUT', at: `${path}/immutable`, code: 422 },
      { ...sealed, data: data('value-3') },
    );
    assert.match(data3.message, /data: Forbidden: field is immutable when `immutable` is set/);
    const unsealed = await api.refused(
      { method: 'PUT', at: `${path}/immutable`, code: 422 },
      { ...sealed, immutable: false },
    );
    assert.match(unsealed.message, /immutable: Forbidden: field is immutable when `immutable` is set/);
    const labelled = await api.update({ ...sealed, metadata: { ...sealed.metadata, labels: { label1: 'value1' } } });
    assert.equal(labelled.metadata.labels?.['label1'], 'value1');
    await api.delete('immutable');
    await api.missing('immutable');
  };
  check(
    '[sig-storage] ConfigMap should be immutable if `immutable` field is set [Conformance]',
    immutable('ConfigMap', (text) => ({ key: text })),
  );
  check(
    '[sig-storage] Secrets should be immutable if `immutable` field is set [Conformance]',
    immutable('Secret', (text) => ({ key: Buffer.from(text).toString('base64') })),
  );
});

behaviours('simulated', 'pod templates, leases, nodes, priority classes, limit ranges', (check) => {
  const podTemplates = { groupVersion: 'v1', resource: 'podtemplates', kind: 'PodTemplate', namespaced: true };

  check('[sig-node] PodTemplates should run the lifecycle of PodTemplates [Conformance]', async (world) => {
    await apiOperations(world, { ...podTemplates, draft: () => ({ template: template('nginx') }) });
  });

  check('[sig-node] PodTemplates should delete a collection of pod templates [Conformance]', async (world) => {
    const api = requests(world, `/api/v1/namespaces/${world.namespace}/podtemplates`);
    for (const name of ['test-podtemplate-1', 'test-podtemplate-2', 'test-podtemplate-3']) {
      await api.create({
        apiVersion: 'v1',
        kind: 'PodTemplate',
        metadata: { name, labels: { set: 'true' } },
        template: template('x'),
      });
    }
    assert.equal((await api.list('set=true')).items.length, 3);
    await api.deleteCollection('set=true');
    assert.deepEqual((await api.list('set=true')).items, []);
  });

  check('[sig-node] PodTemplates should replace a pod template [Conformance]', async (world) => {
    const api = requests(world, `/api/v1/namespaces/${world.namespace}/podtemplates`);
    const made = await api.create({
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 'replaced' },
      template: template('x'),
    });
    const updated = await api.update({ ...made, metadata: { ...made.metadata, annotations: { updated: 'true' } } });
    assert.equal(updated.metadata.annotations?.['updated'], 'true');
    assert.equal((await api.get('replaced')).metadata.annotations?.['updated'], 'true');
  });

  check('[sig-node] Lease lease API should be available [Conformance]', async (world) => {
    const api = requests(world, `/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases`);
    const spec = {
      holderIdentity: 'holder',
      leaseDurationSeconds: 30,
      acquireTime: '2026-01-02T03:04:05.000000Z',
      renewTime: '2026-01-02T03:04:10.000000Z',
      leaseTransitions: 0,
    };
    const lease = (name: string, labels = {}) => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, labels },
      spec,
    });
    await api.create(lease('lease'));
    const read = await api.get('lease');
    assert.deepEqual(read.spec, spec);
    const next = {
      holderIdentity: 'holder2',
      leaseDurationSeconds: 60,
      acquireTime: '2026-01-02T04:04:05.000000Z',
      renewTime: '2026-01-02T04:04:15.000000Z',
      leaseTransitions: 1,
    };
    await api.update({ ...read, spec: next });
    assert.deepEqual((await api.get('lease')).spec, next);
    await api.strategic('lease', { spec: { holderIdentity: 'holder3', leaseTransitions: 2 } });
    assert.deepEqual((await api.get('lease')).spec, { ...next, holderIdentity: 'holder3', leaseTransitions: 2 });
    await api.create(lease('lease2', { deletecollection: 'true' }));
    assert.equal((await api.list()).items.length, 2);
    await api.deleteCollection('deletecollection=true');
    assert.deepEqual(
      (await api.list()).items.map((l) => l.metadata.name),
      ['lease'],
    );
    await api.delete('lease');
    await api.missing('lease');
  });

  check('[sig-node] Node Lifecycle should run through the lifecycle of a node [Conformance]', async (world) => {
    const api = requests(world, '/api/v1/nodes');
    const name = `e2e-fake-node-${world.namespace}`;
    await api.create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      status: { phase: 'Running', addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
    });
    assert.equal((await api.get(name)).metadata.name, name);
    assert.equal(
      (await api.patch(name, { metadata: { labels: { [name]: 'patched' } } })).metadata.labels?.[name],
      'patched',
    );
    assert.equal((await api.list(`${name}=patched`)).items.length, 1);
    for (let attempt = 0; ; attempt++) {
      const seen = await api.get(name);
      const body = { ...seen, metadata: { ...seen.metadata, labels: { ...seen.metadata.labels, [name]: 'updated' } } };
      // The node controller may taint the node in between: then once more, as every client does.
      const answer = await world.http(`/api/v1/nodes/${name}`, { method: 'PUT', body });
      if (answer.code === 409 && attempt < 5) continue;
      assert.equal(answer.code, 200, answer.text);
      break;
    }
    assert.equal((await api.list(`${name}=updated`)).items.length, 1);
    await api.delete(name);
    await gone(api, name);
  });

  check(
    '[sig-scheduling] SchedulerPreemption [Serial] PriorityClass endpoints verify PriorityClass endpoints can be operated with different HTTP methods [Conformance]',
    async (world) => {
      const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
      const api = requests(world, path);
      for (const [n, value] of [
        [1, 1],
        [2, 2],
      ] as const) {
        const name = `p${n}-${world.namespace}`;
        await api.create({
          apiVersion: 'scheduling.k8s.io/v1',
          kind: 'PriorityClass',
          metadata: { name },
          value,
          description: 'test priority class',
        });
        const mutable = await api.patch(name, { description: 'changed by patch', metadata: { labels: { a: 'b' } } });
        assert.equal(mutable['description'], 'changed by patch');
        assert.equal(
          (await api.update({ ...mutable, description: 'changed by update' }))['description'],
          'changed by update',
        );
        const patched = await api.refused(
          { method: 'PATCH', at: `${path}/${name}`, code: 422, type: 'application/merge-patch+json' },
          { value: value * 10 },
        );
        assert.match(
          patched.message,
          /value: (Forbidden: may not be changed in an update|Invalid value: .*field is immutable)/,
        );
        const seen = await api.get(name);
        const updated = await api.refused(
          { method: 'PUT', at: `${path}/${name}`, code: 422 },
          { ...seen, value: value * 10 },
        );
        assert.equal(updated.reason, 'Invalid');
      }
      const names = (await api.list()).items.map((p) => p.metadata.name);
      assert.ok(names.includes(`p1-${world.namespace}`) && names.includes(`p2-${world.namespace}`));
      for (const n of [1, 2]) await api.delete(`p${n}-${world.namespace}`);
    },
  );

  check(
    '[sig-scheduling] LimitRange should list, patch and delete a LimitRange by collection [Conformance]',
    async (world) => {
      const other = await world.makeNamespace();
      const label = `lr-${world.namespace}`;
      const first = requests(world, `/api/v1/namespaces/${world.namespace}/limitranges`);
      const second = requests(world, `/api/v1/namespaces/${other}/limitranges`);
      const limits = [
        {
          type: 'Container',
          min: { cpu: '50m' },
          max: { cpu: '500m' },
          default: { cpu: '500m' },
          defaultRequest: { cpu: '50m' },
        },
      ];
      const draft = {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'e2e-limitrange', labels: { ledger: label } },
        spec: { limits },
      };
      await first.create(draft);
      await second.create(draft);
      assert.equal((await first.list(`ledger=${label}`, '/api/v1/limitranges')).items.length, 2);
      const patched = await first.patch('e2e-limitrange', {
        metadata: { labels: { patched: label } },
        spec: { limits: [{ ...limits[0], min: { cpu: '40m' } }] },
      });
      assert.equal(patched.metadata.labels?.['patched'], label);
      assert.partialDeepStrictEqual(patched.spec, { limits: [{ min: { cpu: '40m' } }] });
      await first.deleteCollection(`patched=${label}`);
      await first.missing('e2e-limitrange');
      assert.equal(
        (await first.list(`ledger=${label}`, '/api/v1/limitranges')).items.length,
        1,
        'the one in the other namespace stays',
      );
    },
  );
});
