import type { Clock } from '@binnacle/base';
import { REPLICA_SETS } from '@binnacle/api';
import type { Deployment, ReplicaSet } from '@binnacle/api/apps/v1';
import { cacheKey, isTransportError } from '@binnacle/client';
import type { Client, Informer } from '@binnacle/client';
import { getOrUndefined, OwnWrites } from '@binnacle/reconcile';
import type { SyncContext } from '@binnacle/reconcile';

/**
 * What was written of deployments and their sets and is not in the caches yet. The sets of a deployment share one number of
 * pods: a plan from a mixture of old and new sizes asks for too many, and every write from old ones is refused.
 */
export class DeploymentWrites {
  readonly #client: Client;
  readonly #deployments: OwnWrites;
  readonly #sets: OwnWrites;
  /** Per deployment, the names of sets whose write was not answered: it may have arrived. */
  readonly #inDoubt = new Map<string, Map<string, ReplicaSet>>();

  constructor(options: {
    readonly client: Client;
    readonly clock: Clock;
    readonly deployments: Informer<Deployment>;
    readonly sets: Informer<ReplicaSet>;
  }) {
    this.#client = options.client;
    this.#deployments = new OwnWrites(options.clock, options.deployments);
    this.#sets = new OwnWrites(options.clock, options.sets);
  }

  async ofDeployment(write: () => Promise<Deployment>): Promise<Deployment> {
    const written = await write();
    this.#deployments.wrote(cacheKey(written), written);
    return written;
  }

  /** A write of one of the sets of the deployment with this key. */
  async ofSet(key: string, set: ReplicaSet, write: () => Promise<ReplicaSet>): Promise<ReplicaSet> {
    try {
      const written = await write();
      this.#sets.wrote(key, written);
      return written;
    } catch (error) {
      if (isTransportError(error)) this.#doubt(key, set);
      throw error;
    }
  }

  seeDeployment(deployment: Deployment): void {
    this.#deployments.see(cacheKey(deployment), deployment);
  }

  seeSet(key: string, set: ReplicaSet): void {
    this.#sets.see(key, set);
  }

  seeSetGone(key: string, set: ReplicaSet): void {
    this.#sets.seeGone(key, set);
  }

  forget(key: string): void {
    this.#deployments.forget(key);
    this.#sets.forget(key);
    this.#inDoubt.delete(key);
  }

  /**
   * 0: the caches show everything. Otherwise how long until they are believed anyway, ms. Asks the server what became of writes
   * without an answer, and throws what that throws.
   */
  async behindMs(key: string, context: SyncContext): Promise<number> {
    const inDoubt = this.#inDoubt.get(key);
    for (const [name, { metadata }] of inDoubt ?? []) {
      const sets = this.#client.resource(REPLICA_SETS, metadata.namespace);
      const now = await getOrUndefined(sets, name, context);
      inDoubt?.delete(name);
      if (now !== undefined) this.#sets.wrote(key, now);
    }
    if (inDoubt?.size === 0) this.#inDoubt.delete(key);
    return Math.max(this.#deployments.remainingMs(key), this.#sets.remainingMs(key));
  }

  #doubt(key: string, set: ReplicaSet): void {
    let names = this.#inDoubt.get(key);
    if (names === undefined) this.#inDoubt.set(key, (names = new Map()));
    names.set(set.metadata.name ?? '', set);
  }
}
