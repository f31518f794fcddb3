import { messageOf } from '@binnacle/base';
import type { CallContext } from '@binnacle/base';
import { parseGroupVersion, status } from '@binnacle/machinery';
import type { GroupVersionResource, KubeObject } from '@binnacle/machinery';
import { RESOURCES } from '@binnacle/api';
import type { CrossVersionObjectReference } from '@binnacle/api/autoscaling/v2';
import type { Client } from '@binnacle/client';
import { discoverResources } from '../discovery.ts';
import { ScaleTargetError } from '../errors.ts';

/** autoscaling/v1 Scale. */
export interface Scale extends KubeObject {
  readonly spec: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly selector?: string };
}

/** A target's scale, and how to change it. */
export interface FoundScale {
  readonly resource: GroupVersionResource;
  readonly scale: Scale;
}

const TRIES_MAX = 5;

/** What autoscalers point at: any kind with a `scale`, built in or custom. */
export class ScaleTargets {
  readonly #client: Client;
  /** Custom kinds as discovery told them, by `group/kind`. */
  readonly #discovered = new Map<string, readonly GroupVersionResource[]>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Throws ScaleTargetError for what is no kind or has no scale; the server's own word otherwise. */
  async get(reference: CrossVersionObjectReference, namespace: string, context: CallContext): Promise<FoundScale> {
    let first: unknown;
    for (const resource of await this.#resourcesOf(reference, context)) {
      try {
        const scale = await this.#scales(resource, namespace).subresource<Scale>(
          'get',
          reference.name,
          'scale',
          undefined,
          context,
        );
        return { resource, scale };
      } catch (error) {
        first ??= error;
        if (status.isNotFound(error)) this.#discovered.delete(keyOf(reference));
        else throw error;
      }
    }
    throw new ScaleTargetError(first === undefined ? 'unrecognized resource' : messageOf(first), first);
  }

  /** Sets the number; on a conflict from the newest state again. */
  async set(found: FoundScale, replicas: number, context: CallContext): Promise<void> {
    const { name = '', namespace = '' } = found.scale.metadata;
    const scales = this.#scales(found.resource, namespace);
    let { scale } = found;
    for (let tries = 1; ; tries++) {
      try {
        const wanted = { ...scale, spec: { ...scale.spec, replicas } };
        await scales.subresource('update', name, 'scale', wanted, context);
        return;
      } catch (error) {
        if (!status.isConflict(error) || tries >= TRIES_MAX) throw error;
      }
      scale = await scales.subresource<Scale>('get', name, 'scale', undefined, context);
    }
  }

  /** The plural name of a kind with its group, as the custom metrics API wants it. Throws ScaleTargetError. */
  async resourceName(reference: CrossVersionObjectReference, context: CallContext): Promise<string> {
    const [found] = await this.#resourcesOf(reference, context);
    if (found === undefined) throw noMatch(reference);
    return found.group === '' ? found.resource : `${found.resource}.${found.group}`;
  }

  async #resourcesOf(
    reference: CrossVersionObjectReference,
    context: CallContext,
  ): Promise<readonly GroupVersionResource[]> {
    const { group } = parseGroupVersion(reference.apiVersion ?? 'v1');
    const builtIn = RESOURCES.filter((one) => one.kind === reference.kind && one.group === group && !one.virtual);
    if (builtIn.length > 0) return builtIn;
    const key = keyOf(reference);
    const known = this.#discovered.get(key);
    if (known !== undefined) return known;
    const { resources } = await discoverResources(this.#client.wire, context);
    const found = resources.filter((one) => one.kind === reference.kind && one.group === group);
    if (found.length === 0) throw noMatch(reference);
    this.#discovered.set(key, found);
    return found;
  }

  #scales(resource: GroupVersionResource, namespace: string): ReturnType<Client['dynamic']> {
    return this.#client.dynamic(resource, namespace);
  }
}

function keyOf({ apiVersion = 'v1', kind }: CrossVersionObjectReference): string {
  return `${parseGroupVersion(apiVersion).group}/${kind}`;
}

function noMatch({ apiVersion = 'v1', kind }: CrossVersionObjectReference): ScaleTargetError {
  const { group } = parseGroupVersion(apiVersion);
  return new ScaleTargetError(`no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`);
}
