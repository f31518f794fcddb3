import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PODS } from '@binnacle/api';
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
