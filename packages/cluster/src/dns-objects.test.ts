import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIG_MAPS, ENDPOINT_SLICES, NAMESPACES, NODES, SECRETS, SERVICES } from '@binnacle/api';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { DNS, ensureDnsObjects, keepDnsEndpoint } from './dns-objects.ts';
import { ADMIN } from './identities.ts';
import { dnsAddressIn, serviceRangesIn } from './service-ranges.ts';
import { startSimulatedCluster } from './simulated-cluster.ts';
import { seededTokenKeys } from './testing/token-keys.ts';

test('the Service of names, its endpoint on a node, and what the name server may read', async () => {
  const clock = new VirtualClock();
  const scope = new Scope('cluster', { log: silentLogger });
  const world = { clock, random: createSeededRandom(1), log: silentLogger };
  const starting = startSimulatedCluster({ world, scope, tokenKeys: seededTokenKeys(1), nodes: 1 });
  await clock.advance(0);
  const cluster = await starting;
  await clock.advance(5000);
  const admin = cluster.clientAs(ADMIN);
  const [range = ''] = await serviceRangesIn(admin);
  const address = dnsAddressIn(range);
  await ensureDnsObjects(admin, address);
  await ensureDnsObjects(admin, address);
  const service = await admin.resource(SERVICES, 'kube-system').get('kube-dns');
  assert.equal(service.spec?.clusterIP, address);

  const [node] = (await admin.resource(NODES).list()).items;
  const at = { nodeName: node?.metadata.name ?? '', nodeUid: node?.metadata.uid ?? '' };
  const keep = async (address: string): Promise<Scope> => {
    const run = scope.child('name server');
    const kept = keepDnsEndpoint({ admin, world, scope: run }, { nodeName: at.nodeName, address });
    await clock.advance(1000);
    await kept;
    return run;
  };
  await (await keep('10.244.0.1')).close();
  const run = await keep('10.245.0.1');
  const slices = admin.resource(ENDPOINT_SLICES, 'kube-system');
  const slice = await slices.get(`kube-dns-${at.nodeName}`);
  assert.deepEqual(
    slice.endpoints?.map(({ addresses, nodeName }) => [addresses, nodeName]),
    [[['10.245.0.1'], at.nodeName]],
    'the node moved to another range',
  );
  await slices.delete(slice.metadata.name ?? '');
  await clock.advance(1000);
  const again = await slices.get(slice.metadata.name ?? '');
  assert.notEqual(again.metadata.uid, slice.metadata.uid, 'who takes it away takes no names from the cluster');

  await clock.advance(5000);
  const server = cluster.clientAs(DNS);
  assert.ok((await server.resource(SERVICES).list()).items.length > 0);
  assert.ok((await server.resource(ENDPOINT_SLICES).list()).items.length > 0);
  assert.ok((await server.resource(NAMESPACES).list()).items.length > 0);
  const named = { fieldSelector: 'metadata.name=kube-dns' };
  assert.deepEqual((await server.resource(CONFIG_MAPS, 'kube-system').list(named)).items, []);
  await assert.rejects(server.resource(CONFIG_MAPS, 'kube-system').list(), { code: 'Forbidden' });
  await assert.rejects(server.resource(SECRETS).list(), { code: 'Forbidden' });

  await admin.resource(NODES).delete(at.nodeName);
  await clock.advance(120_000);
  const owners = (await slices.list()).items
    .filter(({ metadata }) => metadata.name === slice.metadata.name)
    .flatMap(({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid));
  const nodes = (await admin.resource(NODES).list()).items.flatMap(({ metadata: { name, uid } }) =>
    name === at.nodeName ? [uid] : [],
  );
  assert.ok(!owners.includes(at.nodeUid), 'it goes with its node');
  assert.deepEqual(owners, nodes, 'and is there for the one that comes back');
  await run.close();
  const closing = scope.close();
  await clock.advance(60_000);
  await closing;
});
