import { controllerOf, groupVersion, parseGroupVersion, readText, resourceName, status } from '@binnacle/machinery';
import type { GroupVersionResource, KubeObject, OwnerReference } from '@binnacle/machinery';
import { DEPLOYMENTS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { Client, Informer } from '@binnacle/client';
import type { SyncContext } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { discoverResources } from '../discovery.ts';
import { DiscoveryError, NoControllerError, NoScaleError } from '../errors.ts';

interface Scaled extends KubeObject {
  readonly spec: { readonly replicas?: number };
}

/** How many pods there should be, by the word of those that control them. */
export class Scales {
  readonly #client: Client;
  readonly #caches: ReadonlyMap<string, Informer<Scaled>>;
  /** Custom kinds as discovery told them, by `group/kind`: each change of their pods would ask for all that is served. */
  readonly #discovered = new Map<string, GroupVersionResource>();

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

  /** The sum over all controllers of the pods; pods without one count for nothing. Throws NoControllerError, NoScaleError. */
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

  /** Whatever has a scale can be asked for it; undefined: it is not there, or another one of its name is. */
  async #ask(
    reference: OwnerReference,
    namespace: string,
    context: SyncContext,
  ): Promise<{ readonly uid: string; readonly replicas: number } | undefined> {
    const { name, uid } = reference;
    const resource = await this.#resourceOf(reference, context);
    try {
      const owners = this.#client.dynamic(resource, namespace);
      const scale = await owners.subresource<Scaled>('get', name, 'scale', undefined, context);
      return scale.metadata.uid === uid ? { uid, replicas: scale.spec.replicas ?? 0 } : undefined;
    } catch (error) {
      if (status.isForbidden(error)) return undefined;
      if (!status.isNotFound(error)) throw error;
    }
    // The object may be gone, or its kind served otherwise by now.
    this.#discovered.delete(kindOf(reference));
    if (await this.#hasScale(resource, context)) return undefined;
    throw new NoScaleError(`${resourceName(resource)} does not implement the scale subresource`);
  }

  async #resourceOf(reference: OwnerReference, context: SyncContext): Promise<GroupVersionResource> {
    const { apiVersion, kind } = reference;
    const known = this.#discovered.get(kindOf(reference));
    if (known !== undefined) return known;
    const { resources, failures } = await discoverResources(this.#client.wire, context);
    // Any version of its group names the same object.
    const { group } = parseGroupVersion(apiVersion);
    const resource = resources.find((one) => one.kind === kind && one.group === group);
    if (resource === undefined) {
      const silent = failures.find((one) => parseGroupVersion(one.groupVersion).group === group);
      if (silent !== undefined) throw new DiscoveryError(`${silent.groupVersion}: ${silent.reason}`);
      throw new NoScaleError(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
    }
    this.#discovered.set(kindOf(reference), resource);
    return resource;
  }

  /** Asked only where there is none: nearly all that own pods by the dozen have one. */
  async #hasScale({ group, version, resource }: GroupVersionResource, context: SyncContext): Promise<boolean> {
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const list = JSON.parse(await readText(this.#client.wire, path, context)) as {
      readonly resources?: unknown;
    } | null;
    const { resources } = list ?? {};
    if (!Array.isArray(resources)) throw new DiscoveryError(`the resources of ${path} are no list`);
    return resources.some((one: { readonly name?: unknown } | null) => one?.name === `${resource}/scale`);
  }
}

function kindOf({ apiVersion, kind }: OwnerReference): string {
  return `${parseGroupVersion(apiVersion).group}/${kind}`;
}
