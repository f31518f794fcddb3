import { fieldQuery } from '../api/field-query.ts';
import { ApiError } from '../api/request.ts';
import type { ApiObject } from '../live/rows.ts';
import { ownersOf } from '../object/related.ts';
import { FIELD_MANAGER } from './action.ts';
import type { ActionWorld } from './action.ts';

/** Kubelets show static pods by such: nobody can evict them. */
const MIRROR = 'kubernetes.io/config.mirror';
const RETRY_MS = 5000;
const TRIES_MAX = 60;

/** Cordons a node and evicts its pods, but those of DaemonSets and static ones; waits for disruption budgets. */
export async function drain(node: string, world: ActionWorld): Promise<void> {
  await world.send({
    ...{ method: 'PATCH', path: `/api/v1/nodes/${encodeURIComponent(node)}?${FIELD_MANAGER}` },
    ...{ contentType: 'application/merge-patch+json', body: { spec: { unschedulable: true } } },
  });
  const { items } = await world.send<{ readonly items?: readonly ApiObject[] }>({
    path: `/api/v1/pods?${fieldQuery({ 'spec.nodeName': node })}`,
  });
  const pods = (items ?? []).filter(isEvicted);
  for (const [at, pod] of pods.entries()) {
    world.tell(`${at + 1} / ${pods.length}: ${pod.metadata.namespace}/${pod.metadata.name}`);
    await evict(pod, world);
  }
}

function isEvicted(pod: ApiObject): boolean {
  const { annotations = {} } = pod.metadata as { readonly annotations?: { readonly [key: string]: string } };
  return !Object.hasOwn(annotations, MIRROR) && !ownersOf(pod).some(({ kind }) => kind === 'DaemonSet');
}

async function evict({ metadata: { name, namespace = '' } }: ApiObject, world: ActionWorld): Promise<void> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/eviction`;
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  for (let tries = 1; ; tries++) {
    try {
      await world.send({ method: 'POST', path, body });
      return;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // It is gone already.
      if (error.code === 404) return;
      // A budget holds: others have to come up first.
      if (error.code !== 429 || tries === TRIES_MAX) throw error;
      world.tell(`${namespace}/${name}: ${error.message}`);
      await world.wait(RETRY_MS);
    }
  }
}
