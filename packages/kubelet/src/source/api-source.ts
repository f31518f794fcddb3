import type { Scope } from '@binnacle/base';
import { PODS } from '@binnacle/api';
import { createInformer } from '@binnacle/client';
import type { Client, ClientWorld, Informer } from '@binnacle/client';
import type { Pod } from '@binnacle/api/core/v1';
import { ofApi } from '../container/static-pod.ts';
import type { PodSource, PodSourceHandler } from '../ports.ts';

/** The pods that the API binds to one node: list and watch with `spec.nodeName=<node>`. */
export function createApiPodSource(client: Client, world: ClientWorld, scope: Scope): PodSource {
  return {
    kind: 'api',
    follow(nodeName, handler) {
      const informer = createInformer(client, PODS, world, { fieldSelector: `spec.nodeName=${nodeName}` });
      const stop = forward(informer, handler);
      informer.start(scope);
      return stop;
    },
  };
}

const NODE_INDEX = 'node';

/** An informer over all pods that `createSharedPodSource` can serve many kubelets from; its owner starts it. */
export function createPodInformer(client: Client, world: ClientWorld): Informer<Pod> {
  return createInformer(client, PODS, world, { indexes: { [NODE_INDEX]: nodesOf } });
}

/** Nobody asks for the pods without a node, which may be many. */
function nodesOf({ spec: { nodeName = '' } }: Pod): readonly string[] {
  return nodeName === '' ? [] : [nodeName];
}

/**
 * One informer over all pods, for many kubelets of one process: each is told only of its own. A pod that is bound
 * while it is watched comes to its node as new.
 */
export function createSharedPodSource(informer: Informer<Pod>): PodSource {
  const handlers = new Map<string, PodSourceHandler>();
  const of = (pod: Pod): PodSourceHandler | undefined => handlers.get(pod.spec.nodeName ?? '');
  informer.subscribe({
    add: (pod) => of(pod)?.upsert(ofApi(pod)),
    update: (before, after) => {
      // A pod that was deleted and made again under the same name while nobody watched.
      if (before.metadata.uid !== after.metadata.uid) of(before)?.remove(ofApi(before));
      of(after)?.upsert(ofApi(after));
    },
    remove: (pod) => of(pod)?.remove(ofApi(pod)),
  });
  return {
    kind: 'api',
    follow(nodeName, handler) {
      for (const pod of informer.byIndex(NODE_INDEX, nodeName)) handler.upsert(ofApi(pod));
      handlers.set(nodeName, handler);
      // Never rejects: without a signal it waits for the first list, for ever if need be.
      void informer.whenSynced().then(() => handler.ready());
      return () => handlers.delete(nodeName);
    },
  };
}

function forward(informer: Informer<Pod>, handler: PodSourceHandler): () => void {
  const stop = informer.subscribe({
    add: (pod) => handler.upsert(ofApi(pod)),
    update: (before, after) => {
      if (before.metadata.uid !== after.metadata.uid) handler.remove(ofApi(before));
      handler.upsert(ofApi(after));
    },
    remove: (pod) => handler.remove(ofApi(pod)),
  });
  // Never rejects: without a signal it waits for the first list, for ever if need be.
  void informer.whenSynced().then(() => handler.ready());
  return stop;
}
