import type { Scope } from '@binnacle/base';
import {
  CONFIG_MAPS,
  CSI_DRIVERS,
  NODES,
  PERSISTENT_VOLUMES,
  PERSISTENT_VOLUME_CLAIMS,
  RESOURCE_CLAIMS,
  RUNTIME_CLASSES,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
  VOLUME_ATTACHMENTS,
} from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import { status as statusErrors } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { createInformer, observedCause, timedCause } from '@binnacle/client';
import type { Client, ClientWorld, Informer } from '@binnacle/client';
import type { TokenRequest } from '@binnacle/api/authentication/v1';
import type { ConfigMap, Node, Pod, Secret, Service } from '@binnacle/api/core/v1';
import type { RuntimeClass } from '@binnacle/api/node/v1';
import type { CSIDriver } from '@binnacle/api/storage/v1';
import type { ObjectReader, PodToken, ReferenceHolder } from '../ports.ts';
import { TrustBundles } from './trust-bundles.ts';

/** One object that some pods refer to, followed by name while anybody holds it. */
interface Followed<T extends KubeObject> {
  readonly informer: Informer<T>;
  readonly holders: Set<ReferenceHolder>;
  readonly scope: Scope;
  readonly key: string;
}

/**
 * Reads ConfigMaps, Secrets, Services and tokens through the API. Objects that pods refer to are watched one by one
 * with `metadata.name=`, as the Node authorizer allows; a watch ends with its last holder. Bounded by the pods here.
 */
export function createObjectReader(client: Client, world: ClientWorld, scope: Scope): ObjectReader {
  const configMaps = new Followers<ConfigMap>({ client, world, scope, ref: CONFIG_MAPS });
  const secrets = new Followers<Secret>({ client, world, scope, ref: SECRETS });
  const nodes = new Followers<Node>({ client, world, scope, ref: NODES });
  let services: Informer<Service> | undefined;
  const drivers = new All<CSIDriver>({ client, world, scope, ref: CSI_DRIVERS });
  const runtimeClasses = new All<RuntimeClass>({ client, world, scope, ref: RUNTIME_CLASSES });
  const bundles = new TrustBundles({ client, world, scope });
  return {
    configMap: (namespace, name, holder) => configMaps.read(namespace, name, holder),
    secret: (namespace, name, holder) => secrets.read(namespace, name, holder),
    async services(namespace) {
      if (services === undefined) {
        services = createInformer(client, SERVICES, world, {
          indexes: { namespace: (s) => [s.metadata.namespace ?? ''] },
        });
        services.start(scope);
      }
      await services.whenSynced(scope.signal);
      const own = services.byIndex('namespace', namespace);
      const master = services.get('default/kubernetes');
      return master === undefined || namespace === 'default' ? own : [...own, master];
    },
    claim: (namespace, name) => orAbsent(client.resource(PERSISTENT_VOLUME_CLAIMS, namespace).get(name)),
    persistentVolume: (name) => orAbsent(client.resource(PERSISTENT_VOLUMES).get(name)),
    async tellClaim({ metadata: { namespace, name = '' } }, status) {
      const cause = timedCause('kubelet', `size of claim ${namespace ?? ''}/${name}`);
      await client
        .resource(PERSISTENT_VOLUME_CLAIMS, namespace)
        .patch(name, 'merge', { status }, { subresource: 'status' }, { cause });
    },
    node: (name, holder) => nodes.read('', name, holder),
    csiDriver: (name) => drivers.get(name),
    runtimeClass: (name) => runtimeClasses.get(name),
    trustBundles: (wish, holder) => bundles.read(wish, holder),
    resourceClaim: (namespace, name) => orAbsent(client.resource(RESOURCE_CLAIMS, namespace).get(name)),
    volumeAttachment: (name) => orAbsent(client.resource(VOLUME_ATTACHMENTS).get(name)),
    token: (pod, audience, expirationSeconds) => requestToken(client, pod, { audience, expirationSeconds }),
    release(holder) {
      configMaps.release(holder);
      secrets.release(holder);
      nodes.release(holder);
      bundles.release(holder);
    },
  };
}

interface Kind<T extends KubeObject> {
  readonly client: Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
  readonly ref: ResourceRef<T>;
}

/** Objects of the whole cluster of which there are few: all are followed from the first question on. */
class All<T extends KubeObject> {
  readonly #of: Kind<T>;
  #informer: Informer<T> | undefined;

  constructor(of: Kind<T>) {
    this.#of = of;
  }

  async get(name: string): Promise<T | undefined> {
    const { client, world, scope, ref } = this.#of;
    if (this.#informer === undefined) {
      this.#informer = createInformer(client, ref, world, {});
      this.#informer.start(scope);
    }
    await this.#informer.whenSynced(scope.signal);
    return this.#informer.get(name);
  }
}

class Followers<T extends KubeObject> {
  readonly #of: Kind<T>;
  readonly #followed = new Map<string, Followed<T>>();
  readonly #byHolder = new Map<ReferenceHolder, Set<Followed<T>>>();

  constructor(of: Kind<T>) {
    this.#of = of;
  }

  async read(namespace: string, name: string, holder: ReferenceHolder): Promise<T | undefined> {
    const key = keyOf(namespace, name);
    const followed = this.#followed.get(key) ?? this.#follow(namespace, name);
    followed.holders.add(holder);
    const held = this.#byHolder.get(holder) ?? new Set();
    this.#byHolder.set(holder, held.add(followed));
    await followed.informer.whenSynced(followed.scope.signal);
    return followed.informer.get(key);
  }

  release(holder: ReferenceHolder): void {
    for (const followed of this.#byHolder.get(holder) ?? []) {
      followed.holders.delete(holder);
      if (followed.holders.size > 0) continue;
      this.#followed.delete(followed.key);
      followed.scope.close().catch((error: unknown) => this.#of.world.log.error(error, 'a watch did not end well'));
    }
    this.#byHolder.delete(holder);
  }

  #follow(namespace: string, name: string): Followed<T> {
    const key = keyOf(namespace, name);
    const { client, world, ref } = this.#of;
    const where = namespace === '' ? {} : { namespace };
    const informer = createInformer(client, ref, world, { ...where, fieldSelector: `metadata.name=${name}` });
    const followed: Followed<T> = { informer, holders: new Set(), scope: this.#of.scope.child(key), key };
    this.#followed.set(key, followed);
    const tell = (): void => {
      // The first list is what readers wait for; only later changes are news.
      if (informer.synced) for (const holder of followed.holders) holder.changed();
    };
    informer.subscribe({ add: tell, update: tell, remove: tell });
    informer.start(followed.scope);
    return followed;
  }
}

/** As informers name objects; of the whole cluster: by the name alone. */
function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

async function orAbsent<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (statusErrors.isNotFound(error)) return undefined;
    throw error;
  }
}

async function requestToken(
  client: Client,
  pod: Pod,
  of: { readonly audience: string; readonly expirationSeconds: number },
): Promise<PodToken> {
  const { namespace, name = '', uid = '' } = pod.metadata;
  const account = pod.spec.serviceAccountName || 'default';
  const body: Omit<TokenRequest, 'metadata'> & { readonly metadata: object } = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: {
      audiences: of.audience === '' ? [] : [of.audience],
      expirationSeconds: of.expirationSeconds,
      boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name, uid },
    },
  };
  const answer = await client
    .resource(SERVICE_ACCOUNTS, namespace)
    .subresource<TokenRequest>('create', account, 'token', body, {
      cause: observedCause('kubelet', pod, `a token for pod ${namespace ?? ''}/${name}`),
    });
  return {
    token: answer.status?.token ?? '',
    expiresAt: Date.parse(answer.status?.expirationTimestamp ?? ''),
  };
}
