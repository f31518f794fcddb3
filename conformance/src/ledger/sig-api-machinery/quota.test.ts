/** What a ResourceQuota counts, refuses and gives back. */
import assert from 'node:assert/strict';
import { CONFIG_MAPS, PODS, REPLICATION_CONTROLLERS, RESOURCE_QUOTAS, SECRETS } from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import type { Pod, PodSpec, ResourceQuotaScope, ResourceRequirements } from '@binnacle/api/core/v1';
import type { KubeObject } from '@binnacle/machinery';
import { requests } from '../api-operations.ts';
import type { Thing } from '../api-operations.ts';
import { podOf, template, untilOne } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

type Amounts = { readonly [resource: string]: string };

const DONGLE = 'requests.example.com/dongle';
const HARD: Amounts = {
  pods: '5',
  services: '10',
  'services.nodeports': '1',
  'services.loadbalancers': '1',
  replicationcontrollers: '10',
  resourcequotas: '1',
  cpu: '1',
  memory: '500Mi',
  configmaps: '10',
  secrets: '10',
  persistentvolumeclaims: '10',
  'requests.storage': '10Gi',
  'ephemeral-storage': '50Gi',
  'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '10',
  'gold.storageclass.storage.k8s.io/requests.storage': '10Gi',
  'count/replicasets.apps': '5',
  [DONGLE]: '3',
};

/** A quota whose use can be waited for. */
interface Quota {
  uses(what: string, amounts: Amounts): Promise<void>;
}

async function makeQuota(
  world: World,
  name: string,
  hard: Amounts,
  scopes?: readonly ResourceQuotaScope[],
): Promise<Quota> {
  const api = world.client.resource(RESOURCE_QUOTAS, world.namespace);
  await api.create({ metadata: { name }, spec: { hard, ...(scopes === undefined ? {} : { scopes }) } });
  return {
    async uses(what, amounts) {
      await untilOne(world, RESOURCE_QUOTAS, {
        name,
        what,
        until: ({ spec, status }) => {
          const isKnown = JSON.stringify(status?.hard) === JSON.stringify(spec?.hard);
          return isKnown && Object.entries(amounts).every(([key, amount]) => status?.used?.[key] === amount);
        },
      });
    },
  };
}

async function standardQuota(world: World, more: Amounts = {}, used: Amounts = {}): Promise<Quota> {
  const quota = await makeQuota(world, 'test-quota', { ...HARD, ...more });
  await quota.uses('calculated', { resourcequotas: '1', ...used });
  return quota;
}

/** Creates, expects to be refused for the quota's sake. */
async function overQuota(world: World, plural: string, body: object, group = ''): Promise<string> {
  const path = `${group === '' ? '/api/v1' : `/apis/${group}`}/namespaces/${world.namespace}/${plural}`;
  const answer = await world.http(path, { method: 'POST', body });
  const { reason, message } = answer.json<{ reason: string; message: string }>();
  assert.deepEqual([answer.code, reason], [403, 'Forbidden'], message);
  return message;
}

const container = (resources: ResourceRequirements): Partial<PodSpec> => ({
  containers: [{ name: 'pause', image: 'i', resources }],
});
const service = (name: string, type: string, more: object = {}) => ({
  metadata: { name },
  spec: { type, ports: [{ port: 80, targetPort: 80 }], ...more },
});

/** One object of a plain kind is counted when it is made and given back when it is gone; `before` are there already. */
async function life<T extends KubeObject>(
  world: World,
  resource: ResourceRef<T>,
  made: { readonly key: string; readonly object: object; readonly before: number },
): Promise<void> {
  const { key, object, before } = made;
  const quota = await standardQuota(world, { [key]: `${before + 1}` }, { [key]: `${before}` });
  const api = world.client.resource(resource, world.namespace);
  const created = await api.create(object as T);
  await quota.uses('the object counted', { [key]: `${before + 1}` });
  const again = { ...object, metadata: { name: 'one-more' } };
  const group = resource.group === '' ? '' : `${resource.group}/${resource.version}`;
  assert.match(await overQuota(world, resource.resource, again, group), /exceeded quota: test-quota, requested: /);
  await api.delete(created.metadata.name ?? '', { propagationPolicy: 'Background' });
  await quota.uses('the object given back', { [key]: `${before}` });
}

behaviours('simulated', 'quota of objects', (check) => {
  check(
    '[sig-api-machinery] ResourceQuota should create a ResourceQuota and ensure its status is promptly calculated. [Conformance]',
    async (world) => {
      await standardQuota(world);
    },
  );

  check(
    '[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a service. [Conformance]',
    async (world) => {
      const quota = await standardQuota(world);
      const services = requests(world, `/api/v1/namespaces/${world.namespace}/services`);
      await services.create(service('plain', 'ClusterIP'));
      await services.create(service('np', 'NodePort'));
      const balancer = service('lb', 'LoadBalancer', { allocateLoadBalancerNodePorts: true });
      assert.match(await overQuota(world, 'services', balancer), /services\.nodeports=1/);
      await quota.uses('services counted', { resourcequotas: '1', services: '2', 'services.nodeports': '1' });
      await services.delete('plain');
      await services.delete('np');
      await quota.uses('services given back', { services: '0', 'services.nodeports': '0' });
    },
  );

  check(
    '[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a secret. [Conformance]',
    (world) => life(world, SECRETS, { key: 'secrets', object: { metadata: { name: 's' } }, before: 0 }),
  );
  check(
    '[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a configMap. [Conformance]',
    async (world) => {
      // The namespace's own, with the root certificate, comes a moment after the namespace.
      await untilOne(world, CONFIG_MAPS, { name: 'kube-root-ca.crt', what: 'there', until: () => true });
      await life(world, CONFIG_MAPS, { key: 'configmaps', object: { metadata: { name: 'm' } }, before: 1 });
    },
  );
  check(
    '[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a replication controller. [Conformance]',
    async (world) => {
      const spec = { replicas: 0, selector: { app: 'x' }, template: template('x') };
      const object = { metadata: { name: 'rc' }, spec };
      await life(world, REPLICATION_CONTROLLERS, { key: 'replicationcontrollers', object, before: 0 });
    },
  );
  check(
    '[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a replica set. [Conformance]',
    async (world) => {
      const spec = { replicas: 0, selector: { matchLabels: { app: 'x' } }, template: template('x') };
      const resource = { group: 'apps', version: 'v1', resource: 'replicasets', kind: 'ReplicaSet', namespaced: true };
      const object = { metadata: { name: 'rs' }, spec };
      await life(world, resource, { key: 'count/replicasets.apps', object, before: 0 });
    },
  );

  check(
    '[sig-api-machinery] ResourceQuota should be able to update and delete ResourceQuota. [Conformance]',
    async (world) => {
      const api = requests(world, `/api/v1/namespaces/${world.namespace}/resourcequotas`);
      const hard = (cpu: string, memory: string) => ({ hard: { cpu, memory } });
      const made = await api.create({ metadata: { name: 'q' }, spec: hard('1', '500Mi') });
      assert.deepEqual([made.spec, (await api.get('q')).spec], [hard('1', '500Mi'), hard('1', '500Mi')]);
      const current = async (): Promise<Thing> => api.get('q');
      const { resourceVersion: _, ...metadata } = (await current()).metadata;
      const updated = await api.update({ metadata, spec: hard('2', '1Gi') });
      assert.deepEqual([updated.spec, (await current()).spec], [hard('2', '1Gi'), hard('2', '1Gi')]);
      await api.delete('q');
      await api.missing('q');
    },
  );
});

/** Two quotas of opposite scopes: `pod` is counted by the first and not by the second. */
async function counted(
  world: World,
  [by, not]: readonly [Quota, Quota],
  wanted: { readonly pod: Partial<Pod>; readonly amounts: Amounts },
): Promise<void> {
  const none = Object.fromEntries(Object.keys(wanted.amounts).map((key) => [key, '0']));
  const pods = world.client.resource(PODS, world.namespace);
  const { metadata } = await pods.create(wanted.pod as Pod);
  await by.uses('the pod counted', wanted.amounts);
  await not.uses('the pod left out', none);
  await pods.delete(metadata.name ?? '', { gracePeriodSeconds: 0 });
  await by.uses('the pod given back', none);
}

behaviours('simulated', 'quota of pods', (check) => {
  check(
    '[sig-api-machinery] ResourceQuota should create a ResourceQuota and capture the life of a pod. [Conformance]',
    async (world) => {
      const quota = await standardQuota(world);
      const asked = { cpu: '500m', memory: '252Mi', 'ephemeral-storage': '30Gi', 'example.com/dongle': '2' };
      const fitting = podOf('test-pod', container({ requests: asked, limits: { 'example.com/dongle': '2' } }));
      await world.client.resource(PODS, world.namespace).create(fitting);
      const { cpu, memory, 'ephemeral-storage': disk } = asked;
      const used = { pods: '1', cpu, memory, 'ephemeral-storage': disk, [DONGLE]: '2' };
      await quota.uses('the pod counted', { resourcequotas: '1', ...used });

      const rows = [
        ['cpu', { cpu: '600m', memory: '100Mi' }, {}],
        [
          DONGLE,
          { cpu: '500m', memory: '100Mi', 'ephemeral-storage': '30Gi', 'example.com/dongle': '2' },
          { 'example.com/dongle': '2' },
        ],
      ] as const;
      for (const [exceeded, wanted, limits] of rows) {
        const message = await overQuota(world, 'pods', podOf('fail-pod', container({ requests: wanted, limits })));
        assert.ok(message.includes(`${exceeded}=`), message);
      }

      const path = `/api/v1/namespaces/${world.namespace}/pods/test-pod`;
      const pod = (await world.http(path)).json<Pod>();
      const [first] = pod.spec.containers;
      const less = {
        ...first,
        resources: { ...first?.resources, requests: { ...asked, cpu: '100m', memory: '100Mi' } },
      };
      // Without its version: the scheduler may say in between that the pod fits nowhere.
      const { resourceVersion: _, ...metadata } = pod.metadata;
      const body = { ...pod, metadata, spec: { ...pod.spec, containers: [less] } };
      const answer = await world.http(path, { method: 'PUT', body });
      assert.equal(answer.code, 422, answer.text);
      await quota.uses('nothing changed', used);
      await world.client.resource(PODS, world.namespace).delete('test-pod', { gracePeriodSeconds: 0 });
      await quota.uses('the pod given back', Object.fromEntries(Object.keys(used).map((key) => [key, '0'])));
    },
  );

  check(
    '[sig-api-machinery] ResourceQuota should verify ResourceQuota with terminating scopes. [Conformance]',
    async (world) => {
      const hard = { pods: '5', 'requests.cpu': '1', 'requests.memory': '500Mi' };
      const both = { ...hard, 'limits.cpu': '2', 'limits.memory': '1Gi' };
      const ending = await makeQuota(world, 'ending', both, ['Terminating']);
      const lasting = await makeQuota(world, 'lasting', both, ['NotTerminating']);
      for (const quota of [ending, lasting]) await quota.uses('calculated', { pods: '0' });
      const asked = container({ requests: { cpu: '500m', memory: '200Mi' }, limits: { cpu: '1', memory: '400Mi' } });
      const amounts = {
        pods: '1',
        'requests.cpu': '500m',
        'requests.memory': '200Mi',
        'limits.cpu': '1',
        'limits.memory': '400Mi',
      };
      await counted(world, [lasting, ending], { pod: podOf('lasts', asked), amounts });
      const pod = podOf('ends', { ...asked, activeDeadlineSeconds: 3600 });
      await counted(world, [ending, lasting], { pod, amounts });
    },
  );

  check(
    '[sig-api-machinery] ResourceQuota should verify ResourceQuota with best effort scope. [Conformance]',
    async (world) => {
      const best = await makeQuota(world, 'best', { pods: '5' }, ['BestEffort']);
      const rest = await makeQuota(world, 'rest', { pods: '5' }, ['NotBestEffort']);
      for (const quota of [best, rest]) await quota.uses('calculated', { pods: '0' });
      const amounts = { pods: '1' };
      await counted(world, [best, rest], { pod: podOf('bare', container({})), amounts });
      const asked = { requests: { cpu: '500m', memory: '200Mi' }, limits: { cpu: '1', memory: '400Mi' } };
      await counted(world, [rest, best], { pod: podOf('burstable', container(asked)), amounts });
    },
  );

  check(
    '[sig-apps] ReplicationController should surface a failure condition on a common issue like exceeded quota [Conformance]',
    async (world) => {
      const quota = await makeQuota(world, 'condition-test', { pods: '2' });
      await quota.uses('calculated', { pods: '0' });
      const controllers = world.client.resource(REPLICATION_CONTROLLERS, world.namespace);
      const selector = { app: 'condition-test' };
      const spec = { replicas: 3, selector, template: template('condition-test') };
      await controllers.create({ metadata: { name: 'rc' }, spec });
      const failed = await untilOne(world, REPLICATION_CONTROLLERS, {
        name: 'rc',
        what: 'with a failure',
        until: ({ status }) => status?.conditions?.some((c) => c.type === 'ReplicaFailure') === true,
      });
      const condition = failed?.status?.conditions?.find((c) => c.type === 'ReplicaFailure');
      assert.deepEqual([condition?.status, condition?.reason], ['True', 'FailedCreate']);
      assert.match(condition?.message ?? '', /exceeded quota: condition-test/);
      await controllers.patch('rc', 'merge', { spec: { replicas: 2 } });
      await untilOne(world, REPLICATION_CONTROLLERS, {
        name: 'rc',
        what: 'without a failure',
        until: ({ metadata, status }) =>
          (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
          status?.conditions?.some((c) => c.type === 'ReplicaFailure') !== true,
      });
    },
  );
});
