import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PODS } from '@binnacle/api';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import { MemoryCache } from '../testing/memory-cache.ts';
import { NodeGraph } from './node-graph.ts';

const VOLUMES = { group: '', resource: 'persistentvolumes' };

function pod(name: string, spec: object, status: object = {}): KubeObject {
  return { metadata: { namespace: 'a', name }, spec: { nodeName: 'n1', containers: [], ...spec }, status } as never;
}

test('an object is reached as long as one pod of the node names it', () => {
  const cache = new MemoryCache();
  const graph = new NodeGraph(cache);
  const secret = { namespace: 'a', name: 's' };
  for (const name of ['p', 'q']) cache.put(PODS, pod(name, { volumes: [{ name: 'v', secret: { secretName: 's' } }] }));
  assert.equal(graph.reaches('n1', 'secrets', secret), true);
  cache.remove(PODS, 'a', 'p');
  assert.equal(graph.reaches('n1', 'secrets', secret), true);
  cache.remove(PODS, 'a', 'q');
  assert.equal(graph.reaches('n1', 'secrets', secret), false);
});

test('status changes leave the graph as it is, claims made for the pod apart', () => {
  const cache = new MemoryCache();
  const graph = new NodeGraph(cache);
  const claim = { namespace: 'a', name: 'made' };
  cache.put(PODS, pod('p', { serviceAccountName: 'app' }));
  cache.put(PODS, pod('p', { serviceAccountName: 'app' }, { phase: 'Running' }));
  assert.equal(graph.reaches('n1', 'serviceaccounts', { namespace: 'a', name: 'app' }), true);
  cache.put(
    PODS,
    pod('p', { serviceAccountName: 'app' }, { resourceClaimStatuses: [{ name: 'c', resourceClaimName: 'made' }] }),
  );
  assert.equal(graph.reaches('n1', 'resourceclaims', claim), true);
  cache.remove(PODS, 'a', 'p');
  assert.equal(graph.reaches('n1', 'resourceclaims', claim), false);
  assert.equal(graph.reaches('n1', 'serviceaccounts', { namespace: 'a', name: 'app' }), false);
});

test('a volume and its secrets are reached through its claim, until it is given to another', () => {
  const cache = new MemoryCache();
  const graph = new NodeGraph(cache);
  const volume = (claim: string): KubeObject =>
    ({
      metadata: { name: 'v' },
      spec: { claimRef: { namespace: 'a', name: claim }, csi: { nodePublishSecretRef: { namespace: 'b', name: 's' } } },
    }) as never;
  cache.put(
    PODS,
    pod('p', {
      volumes: [
        { name: 'v', persistentVolumeClaim: { claimName: 'c' } },
        { name: 'own', ephemeral: {} },
      ],
    }),
  );
  assert.equal(graph.reaches('n1', 'persistentvolumeclaims', { namespace: 'a', name: 'p-own' }), true);
  cache.put(VOLUMES, volume('c'));
  assert.equal(graph.reaches('n1', 'persistentvolumes', { namespace: '', name: 'v' }), true);
  assert.equal(graph.reaches('n1', 'secrets', { namespace: 'b', name: 's' }), true);
  cache.put(VOLUMES, volume('other'));
  assert.equal(graph.reaches('n1', 'secrets', { namespace: 'b', name: 's' }), false);
  graph.close();
});

test('a mirror pod, which a node makes itself, gives it nothing', () => {
  const cache = new MemoryCache();
  const graph = new NodeGraph(cache);
  const made = pod('p', { serviceAccountName: 'app', imagePullSecrets: [{ name: 's' }] });
  const annotations = { 'kubernetes.io/config.mirror': 'h' };
  cache.put(PODS, { ...made, metadata: { ...made.metadata, annotations } });
  assert.equal(graph.reaches('n1', 'secrets', { namespace: 'a', name: 's' }), false);
  assert.equal(graph.reaches('n1', 'serviceaccounts', { namespace: 'a', name: 'app' }), false);
  assert.equal(graph.reaches('n1', 'pods', { namespace: 'a', name: 'p' }), true);
});

test('what a container needs that is added to a running pod is reached as long as the pod is there', () => {
  const cache = new MemoryCache();
  const graph = new NodeGraph(cache);
  const secret = { namespace: 'a', name: 's' };
  const looking = { ephemeralContainers: [{ name: 'd', envFrom: [{ secretRef: { name: 's' } }] }] };
  cache.put(PODS, pod('other', { imagePullSecrets: [{ name: 's' }] }));
  cache.put(PODS, pod('p', {}));
  cache.put(PODS, pod('p', looking));
  cache.remove(PODS, 'a', 'other');
  assert.equal(graph.reaches('n1', 'secrets', secret), true);
  cache.put(PODS, pod('other', { imagePullSecrets: [{ name: 's' }] }));
  cache.remove(PODS, 'a', 'p');
  assert.equal(graph.reaches('n1', 'secrets', secret), true, 'the other pod keeps what is its own');
});

test('a pod of another life in the place of one that went unseen names what it names', () => {
  const cache = new MemoryCache();
  const graph = new NodeGraph(cache);
  const life = (uid: string, name: string): KubeObject => {
    const made = pod('p', { imagePullSecrets: [{ name }] });
    return { ...made, metadata: { ...made.metadata, uid } };
  };
  cache.put(PODS, life('1', 'old'));
  cache.put(PODS, life('2', 'new'));
  assert.equal(graph.reaches('n1', 'secrets', { namespace: 'a', name: 'old' }), false);
  assert.equal(graph.reaches('n1', 'secrets', { namespace: 'a', name: 'new' }), true);
});

test('devices that an extended resource of a pod stands for are reached', () => {
  const cache = new MemoryCache();
  const graph = new NodeGraph(cache);
  cache.put(PODS, pod('p', {}));
  cache.put(PODS, pod('p', {}, { extendedResourceClaimStatus: { requestMappings: [], resourceClaimName: 'made' } }));
  assert.equal(graph.reaches('n1', 'resourceclaims', { namespace: 'a', name: 'made' }), true);
});

test('property: a node reaches exactly what pods name that are on it, whoever comes and goes', () => {
  const random = createSeededRandom(14);
  const cache = new MemoryCache();
  const graph = new NodeGraph(cache);
  const there = new Map<string, { readonly nodeName: string; readonly secret: string }>();
  for (let step = 0; step < 2_000; step++) {
    const name = `p${randomBelow(random, 6)}`;
    const known = there.get(name);
    if (known !== undefined && randomBelow(random, 2) === 0) {
      cache.remove(PODS, 'a', name);
      there.delete(name);
    } else {
      const placed = { nodeName: `n${randomBelow(random, 3)}`, secret: `s${randomBelow(random, 4)}` };
      const { nodeName, secret } = known ?? placed;
      const volumes = [{ name: 'v', secret: { secretName: secret } }];
      const phase = `Phase${step}`;
      cache.put(PODS, pod(name, { nodeName, volumes }, { phase }));
      there.set(name, { nodeName, secret });
    }
    for (const nodeName of ['n0', 'n1', 'n2']) {
      for (const secret of ['s0', 's1', 's2', 's3']) {
        const isNamed = [...there.values()].some((on) => on.nodeName === nodeName && on.secret === secret);
        assert.equal(graph.reaches(nodeName, 'secrets', { namespace: 'a', name: secret }), isNamed, `step ${step}`);
      }
    }
  }
});
