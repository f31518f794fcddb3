import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DEVICE_CLASSES,
  NODES,
  PODS,
  RESOURCE_CLAIM_TEMPLATES,
  RESOURCE_CLAIMS,
  RESOURCE_QUOTAS,
  RESOURCE_SLICES,
} from '@binnacle/api';
import type { Client } from '@binnacle/client';
import { withCluster } from './testing/virtual-cluster.ts';

const DRIVER = 'nic.example.org';

/** Devices of node-0, and a class of all that the driver has. */
async function offer(client: Client, devices: readonly object[]): Promise<void> {
  const pool = { name: 'node-0', generation: 1, resourceSliceCount: 1 };
  const spec = { driver: DRIVER, nodeName: 'node-0', pool, devices };
  await client.resource(RESOURCE_SLICES).create({ metadata: { name: 'node-0' }, spec } as never);
  const selectors = [{ cel: { expression: `device.driver == "${DRIVER}"` } }];
  await client.resource(DEVICE_CLASSES).create({ metadata: { name: 'nics' }, spec: { selectors } });
}

const podWith = (name: string, claim: object) =>
  ({
    metadata: { name },
    spec: {
      resourceClaims: [{ name: 'nic', ...claim }],
      containers: [{ name: 'c', image: 'example.org/c:1', resources: { claims: [{ name: 'nic' }] } }],
      terminationGracePeriodSeconds: 1,
    },
  }) as never;

async function phases(client: Client): Promise<readonly string[]> {
  const { items } = await client.resource(PODS, 'default').list();
  return items.map(({ metadata, status }) => `${metadata.name ?? ''} ${status?.phase ?? ''}`);
}

test('pods share a device by claims of their own until its capacity ends; who goes makes room for who waits', () =>
  withCluster(11, async (client, clock) => {
    const requestPolicy = { default: '1G', validRange: { min: '1G', step: '2G' } };
    const capacity = { bandwidth: { value: '10G', requestPolicy } };
    await offer(client, [{ name: 'eth1', allowMultipleAllocations: true, capacity }]);
    const exactly = { deviceClassName: 'nics', capacity: { requests: { bandwidth: '4G' } } };
    const template = { spec: { devices: { requests: [{ name: 'r', exactly }] } } };
    await client
      .resource(RESOURCE_CLAIM_TEMPLATES, 'default')
      .create({ metadata: { name: 'part' }, spec: template } as never);
    const pods = client.resource(PODS, 'default');
    for (const name of ['a', 'b', 'c']) {
      await pods.create(podWith(name, { resourceClaimTemplateName: 'part' }));
      await clock.advance(5_000);
    }
    assert.deepEqual(await phases(client), ['a Running', 'b Running', 'c Pending']);
    const shares = async (): Promise<readonly (readonly unknown[])[]> =>
      (await client.resource(RESOURCE_CLAIMS, 'default').list()).items.flatMap(({ status }) =>
        (status?.allocation?.devices?.results ?? []).map((one) => [one.device, one.consumedCapacity, one.shareID]),
      );
    const given = await shares();
    assert.deepEqual(
      given.map(([device, consumed]) => [device, consumed]),
      [
        ['eth1', { bandwidth: '5G' }],
        ['eth1', { bandwidth: '5G' }],
      ],
    );
    assert.equal(new Set(given.map(([, , shareId]) => shareId)).size, 2);
    await pods.delete('a');
    await clock.advance(30_000);
    assert.deepEqual(await phases(client), ['b Running', 'c Running']);
    assert.equal((await shares()).length, 2);
  }));

test('a pod waits for its device to be attached to its node; one that cannot be is taken back, and others are tried', () =>
  withCluster(12, async (client, clock) => {
    const conditions = { bindingConditions: ['Attached'], bindingFailureConditions: ['Broken'], bindsToNode: true };
    const pool = { name: 'fabric', generation: 1, resourceSliceCount: 1 };
    const spec = (taints: readonly object[]) => ({
      driver: DRIVER,
      pool,
      allNodes: true,
      devices: [
        { name: 'gpu-0', ...conditions, taints },
        { name: 'gpu-1', ...conditions },
      ],
    });
    await client.resource(RESOURCE_SLICES).create({ metadata: { name: 'fabric' }, spec: spec([]) } as never);
    await client.resource(DEVICE_CLASSES).create({ metadata: { name: 'gpus' }, spec: {} });
    const request = { name: 'r', exactly: { deviceClassName: 'gpus' } };
    const claims = client.resource(RESOURCE_CLAIMS, 'default');
    await claims.create({ metadata: { name: 'own' }, spec: { devices: { requests: [request] } } });
    const tell = async (type: string): Promise<void> => {
      const claim = await claims.get('own');
      const { driver = '', pool: of = '', device = '' } = claim.status?.allocation?.devices?.results?.[0] ?? {};
      const lastTransitionTime = '2026-01-01T00:00:00Z';
      const told = { type, status: 'True' as const, reason: 'Driver', message: 'as it is', lastTransitionTime };
      const devices = [{ driver, pool: of, device, conditions: [told] }];
      await claims.updateStatus({ ...claim, status: { ...claim.status, devices } });
      await clock.advance(30_000);
    };
    const deviceOf = async () => (await claims.get('own')).status?.allocation?.devices?.results?.[0]?.device;
    const pods = client.resource(PODS, 'default');
    await pods.create(podWith('a', { resourceClaimName: 'own' }));
    await clock.advance(20_000);
    assert.deepEqual([await phases(client), await deviceOf()], [['a Pending'], 'gpu-0']);
    const { nodeSelector } = (await claims.get('own')).status?.allocation ?? {};
    assert.match(nodeSelector?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0] ?? '', /^node-[01]$/);
    const slices = client.resource(RESOURCE_SLICES);
    const taints = [{ key: 'broken', effect: 'NoSchedule' }];
    await slices.update({ ...(await slices.get('fabric')), spec: spec(taints) } as never);
    await tell('Broken');
    assert.deepEqual([await phases(client), await deviceOf()], [['a Pending'], 'gpu-1']);
    await tell('Attached');
    assert.deepEqual(await phases(client), ['a Running']);
    await pods.delete('a');
    await clock.advance(30_000);
    assert.equal((await claims.get('own')).status?.allocation, undefined);
  }));

test('devices stand for an extended resource that nodes do not offer; what a node offers is had from there; both go back', () =>
  withCluster(13, async (client, clock) => {
    await offer(client, [{ name: 'a' }, { name: 'b' }]);
    const classes = client.resource(DEVICE_CLASSES);
    await classes.patch('nics', 'merge', { spec: { extendedResourceName: 'example.com/nic' } });
    const pods = client.resource(PODS, 'default');
    const asking = (name: string, resources: object, nodeSelector: object = {}) =>
      ({
        metadata: { name },
        spec: {
          nodeSelector,
          containers: [{ name: 'c', image: 'example.org/c:1', resources: { requests: resources, limits: resources } }],
          terminationGracePeriodSeconds: 1,
        },
      }) as never;
    await pods.create(asking('one', { 'example.com/nic': '1' }));
    await pods.create(asking('two', { 'deviceclass.resource.kubernetes.io/nics': '1' }));
    await clock.advance(10_000);
    await pods.create(asking('three', { 'example.com/nic': '1' }));
    await clock.advance(10_000);
    assert.deepEqual(await phases(client), ['one Running', 'three Pending', 'two Running']);
    const claims = client.resource(RESOURCE_CLAIMS, 'default');
    const made = (await claims.list()).items;
    const told = async (name: string) => (await pods.get(name)).status?.extendedResourceClaimStatus;
    for (const name of ['one', 'two']) {
      const { resourceClaimName, requestMappings } = (await told(name)) ?? {};
      const claim = made.find(({ metadata }) => metadata.name === resourceClaimName);
      assert.match(claim?.metadata.name ?? '', new RegExp(`^${name}-extended-resources-`));
      assert.deepEqual(
        requestMappings?.map(({ containerName, requestName }) => [containerName, requestName]),
        [['c', 'container-0-request-0']],
      );
      assert.equal((await pods.get(name)).spec.nodeName, 'node-0');
    }
    assert.equal(made.length, 2);
    const nodes = client.resource(NODES);
    const amounts = { 'example.com/nic': '1' };
    await nodes.patch(
      'node-1',
      'merge',
      { status: { capacity: amounts, allocatable: amounts } },
      { subresource: 'status' },
    );
    await clock.advance(20_000);
    const three = await pods.get('three');
    assert.deepEqual([three.spec.nodeName, three.status?.extendedResourceClaimStatus], ['node-1', undefined]);
    await pods.delete('one');
    await pods.delete('two');
    await clock.advance(60_000);
    assert.deepEqual((await claims.list()).items, []);
    assert.deepEqual(await phases(client), ['three Running']);
  }));

test('a quota of an extended resource counts pods and claims for devices that stand for it, each once', () =>
  withCluster(14, async (client, clock) => {
    await offer(client, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    await client.resource(DEVICE_CLASSES).patch('nics', 'merge', { spec: { extendedResourceName: 'example.com/nic' } });
    const [NIC, OF_CLASS] = ['requests.example.com/nic', 'requests.deviceclass.resource.kubernetes.io/nics'];
    const quotas = client.resource(RESOURCE_QUOTAS, 'default');
    await quotas.create({ metadata: { name: 'q' }, spec: { hard: { [NIC]: '2', [OF_CLASS]: '9' } } });
    await clock.advance(5_000);
    const used = async () => (await quotas.get('q')).status?.used;
    const resources = { 'example.com/nic': '1' };
    const container = { name: 'c', image: 'example.org/c:1', resources: { requests: resources, limits: resources } };
    const pods = client.resource(PODS, 'default');
    await pods.create({
      metadata: { name: 'one' },
      spec: { containers: [container], terminationGracePeriodSeconds: 1 },
    });
    await clock.advance(10_000);
    assert.deepEqual(await phases(client), ['one Running']);
    assert.deepEqual(await used(), { [NIC]: '1', [OF_CLASS]: '1' }, 'the pod and its claim are one');
    const claims = client.resource(RESOURCE_CLAIMS, 'default');
    const own = (name: string) => {
      const requests = [{ name: 'r', exactly: { deviceClassName: 'nics' } }];
      return claims.create({ metadata: { name }, spec: { devices: { requests } } });
    };
    await own('mine');
    await clock.advance(10_000);
    assert.deepEqual(await used(), { [NIC]: '2', [OF_CLASS]: '2' });
    await assert.rejects(own('more'), /exceeded quota: q, requested: requests.example.com\/nic=1/);
    await pods.delete('one');
    await clock.advance(60_000);
    assert.deepEqual(await used(), { [NIC]: '1', [OF_CLASS]: '1' });
    await own('more');
  }));
