import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, CONFIG_MAPS, NAMESPACES, SERVICE_CIDRS, SERVICES } from '@binnacle/api';
import type { ClusterRole, ClusterRoleBinding } from '@binnacle/api/rbac/v1';
import { VirtualClock, createSeededRandom, silentLogger } from '@binnacle/base';
import type { ServiceCIDR } from '@binnacle/api/networking/v1';
import type { KubeObject } from '@binnacle/machinery';
import { createMemoryStore } from '@binnacle/store';
import { MemoryCache } from '../testing/memory-cache.ts';
import { MemoryLoopback } from '../testing/memory-loopback.ts';
import type { ServerWorld } from '../ports/world.ts';
import { bootstrapCluster } from './bootstrap.ts';
import { authenticationConfig } from './cluster-objects.ts';

let cache: MemoryCache;
let loopback: MemoryLoopback;
let world: ServerWorld;

describe('what a server brings', () => {
  beforeEach(() => {
    const clock = new VirtualClock();
    cache = new MemoryCache();
    loopback = new MemoryLoopback(cache);
    const store = createMemoryStore({ clock });
    const findKind = (): undefined => undefined;
    const random = createSeededRandom(1);
    world = { cache, loopback, update: loopback.update, findKind, store, clock, random, log: silentLogger };
  });

  function start(clientCa = 'PEM'): Promise<void> {
    return bootstrapCluster(world, { serviceCidrs: ['10.96.0.0/16'], port: 6443, clientCa });
  }

  test('everything is written once', async () => {
    await start();
    assert.ok(loopback.calls.length > 140);
    assert.equal(cache.list(NAMESPACES).length, 4);
    assert.equal(cache.get(SERVICES, 'default', 'kubernetes')?.metadata.name, 'kubernetes');
    loopback.calls.length = 0;
    await start();
    assert.deepEqual(loopback.calls, []);
  });

  test('nothing in a namespace is written before the namespaces', async () => {
    await start();
    const firstInside = loopback.calls.findIndex((call) => call.namespace !== undefined);
    const lastNamespace = loopback.calls.findLastIndex((call) => call.resource.resource === 'namespaces');
    assert.ok(firstInside > lastNamespace);
  });

  test('the range of Services is held by its finalizer, put back where it is missing', async () => {
    await start();
    const finalizers = ['networking.k8s.io/service-cidr-finalizer'];
    const range = (): KubeObject | undefined => cache.get(SERVICE_CIDRS, '', 'kubernetes');
    assert.deepEqual(range()?.metadata.finalizers, finalizers);
    cache.put(SERVICE_CIDRS, { ...range(), metadata: { name: 'kubernetes', labels: { own: 'x' } } } as KubeObject);
    await start();
    assert.deepEqual(range()?.metadata, { name: 'kubernetes', labels: { own: 'x' }, finalizers });
  });

  test('a cluster of one family that is started with both has ranges of both; another first range stays as it is', async () => {
    const ranges = (): unknown => (cache.get(SERVICE_CIDRS, '', 'kubernetes') as ServiceCIDR | undefined)?.spec.cidrs;
    const again = (...serviceCidrs: readonly string[]): Promise<void> =>
      bootstrapCluster(world, { serviceCidrs, port: 6443 });
    await start();
    await again('10.97.0.0/16', 'fd00::/112');
    assert.deepEqual(ranges(), ['10.96.0.0/16']);
    await again('10.96.0.0/16', 'fd00::/112');
    assert.deepEqual(ranges(), ['10.96.0.0/16', 'fd00::/112']);
    await start();
    assert.deepEqual(ranges(), ['10.96.0.0/16', 'fd00::/112']);
  });

  describe('a later start', () => {
    const binding = (): ClusterRoleBinding =>
      cache.get(CLUSTER_ROLE_BINDINGS, '', 'system:kube-scheduler') as ClusterRoleBinding;

    test('mends the subjects of bindings and keeps those that were added', async () => {
      await start();
      const own = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' };
      const { subjects = [] } = binding();
      cache.put(CLUSTER_ROLE_BINDINGS, { ...binding(), subjects: [own] } as ClusterRoleBinding);
      await start();
      assert.deepEqual(binding().subjects, [own, ...subjects]);
    });

    test('a default binding of another role is made anew, unless it was taken over', async () => {
      await start();
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
      cache.put(CLUSTER_ROLE_BINDINGS, { ...binding(), roleRef } as ClusterRoleBinding);
      await start();
      assert.equal(binding().roleRef.name, 'system:kube-scheduler');
      const metadata = { ...binding().metadata, annotations: {} };
      cache.put(CLUSTER_ROLE_BINDINGS, { ...binding(), roleRef, metadata, subjects: [] } as ClusterRoleBinding);
      await start();
      assert.deepEqual([binding().roleRef.name, binding().subjects], ['cluster-admin', []]);
    });

    test('mends rules that are missing and keeps those that were added', async () => {
      await start();
      const node = cache.get(CLUSTER_ROLES, '', 'system:node-problem-detector') as ClusterRole;
      const own = { verbs: ['get'], apiGroups: ['example.com'], resources: ['things'] };
      const [first, ...others] = node.rules ?? [];
      cache.put(CLUSTER_ROLES, { ...node, rules: [own, ...others] } as ClusterRole);
      await start();
      const mended = cache.get(CLUSTER_ROLES, '', 'system:node-problem-detector') as ClusterRole;
      assert.deepEqual(mended.rules, [own, ...others, first]);
    });

    test('leaves roles alone that administrators took over', async () => {
      await start();
      const role = cache.get(CLUSTER_ROLES, '', 'system:discovery') as ClusterRole;
      const metadata = { ...role.metadata, annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } };
      cache.put(CLUSTER_ROLES, { ...role, metadata, rules: [] } as ClusterRole);
      await start();
      assert.deepEqual((cache.get(CLUSTER_ROLES, '', 'system:discovery') as ClusterRole).rules, []);
    });

    test('says the new authority', async () => {
      await start();
      await start('NEW');
      const config = cache.get(CONFIG_MAPS, 'kube-system', 'extension-apiserver-authentication') as
        | { data?: object }
        | undefined;
      assert.deepEqual(config?.data, { 'client-ca-file': 'NEW' });
    });

    test('says who may speak for others: its own front proxy, and those before it', async () => {
      const others = {
        clientCa: 'OTHERS',
        allowedNames: ['before'],
        usernameHeaders: ['x-remote-user', 'X-Who'],
        uidHeaders: [],
        groupHeaders: ['X-Remote-Group'],
        extraHeadersPrefix: [],
      };
      const { object } = authenticationConfig('CLIENTS', { ownCa: 'OWN', others });
      assert.deepEqual((object as { data?: object }).data, {
        'client-ca-file': 'CLIENTS',
        'requestheader-allowed-names': '["front-proxy-client","before"]',
        'requestheader-client-ca-file': 'OWN\nOTHERS\n',
        'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
        'requestheader-group-headers': '["X-Remote-Group"]',
        'requestheader-uid-headers': '["X-Remote-Uid"]',
        'requestheader-username-headers': '["X-Remote-User","X-Who"]',
      });
      const open = authenticationConfig('CLIENTS', { ownCa: 'OWN', others: { ...others, allowedNames: [] } });
      assert.equal((open.object as { data?: { [key: string]: string } }).data?.['requestheader-allowed-names'], '[]');
    });
  });
});
