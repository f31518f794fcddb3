import { controllerOf, groupVersion, parseGroupVersion, status } from '@binnacle/machinery';
import type { KubeObject, OwnerReference } from '@binnacle/machinery';
import { DEPLOYMENTS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { Client, Informer } from '@binnacle/client';
import type { SyncContext } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { discoverResources } from '../discovery.ts';
import { NoControllerError } from '../errors.ts';

interface Scaled extends KubeObject {
  readonly spec: { readonly replicas?: number };
}

/** How many pods there should be, by the word of those that control them. */
export class Scales {
  readonly #client: Client;
  readonly #caches: ReadonlyMap<string, Informer<Scaled>>;

  constructor(kit: ControllerKit) {
    this.#client = kit.client;
    this.#caches = new Map(
      [DEPLOYMENTS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS].map((ref) => [
        `${groupVersion(ref)} ${ref.kind}`,
        kit.informers.need<Scaled>(ref),
      ]),
    );
  }

  get caches(): readonly Informer<Scaled>[] {
    return [...this.#caches.values()];
  }

  /** The sum over all controllers of the pods; pods without one count for nothing. Throws NoControllerError. */
  async expectedOf(pods: readonly Pod[], context: SyncContext): Promise<number> {
    const scales = new Map<string, number>();
    const asked = new Map<string, { readonly uid: string; readonly replicas: number } | undefined>();
    for (const pod of pods) {
      const controller = controllerOf(pod);
      if (controller === undefined) continue;
      if (!asked.has(controller.uid)) {
        asked.set(controller.uid, await this.#find(controller, pod.metadata.namespace ?? '', context));
      }
      const found = asked.get(controller.uid);
      if (found === undefined) throw new NoControllerError(pod.metadata.name ?? '');
      scales.set(found.uid, found.replicas);
    }
    return [...scales.values()].reduce((sum, one) => sum + one, 0);
  }

  async #find(
    reference: OwnerReference,
    namespace: string,
    context: SyncContext,
  ): Promise<{ readonly uid: string; readonly replicas: number } | undefined> {
    const cache = this.#caches.get(`${reference.apiVersion} ${reference.kind}`);
    if (cache === undefined) return this.#ask(reference, namespace, context);
    const owner = cache.get(`${namespace}/${reference.name}`);
    if (owner?.metadata.uid !== reference.uid) return undefined;
    // A replica set of a deployment says only how far a rollout is.
    const above = controllerOf(owner);
    if (above?.kind === DEPLOYMENTS.kind) return this.#find(above, namespace, context);
    return { uid: reference.uid, replicas: owner.spec.replicas ?? 1 };
  }

  /** Whatever has a scale can be asked for it. */
  async #ask(
    reference: OwnerReference,
    namespace: string,
    context: SyncContext,
  ): Promise<{ readonly uid: string; readonly replicas: number } | undefined> {
    const { resources } = await discoverResources(this.#client.wire, context);
    // Any version of its group names the same object.
    const { group } = parseGroupVersion(reference.apiVersion);
    const resource = resources.find((one) => one.kind === reference.kind && one.group === group);
    if (resource === undefined) return undefined;
    try {
      const owners = this.#client.dynamic(resource, namespace);
      const scale = await owners.subresource<Scaled>('get', reference.name, 'scale', undefined, context);
      return { uid: reference.uid, replicas: scale.spec.replicas ?? 0 };
    } catch (error) {
      if (status.isNotFound(error) || status.isForbidden(error)) return undefined;
      throw error;
    }
  }
}
