import { LEASES, wellknown } from '@binnacle/api';
import type { Lease } from '@binnacle/api/coordination/v1';
import { formatMicroTime, messageOf, startRounds } from '@binnacle/base';
import type { Rounds, Running } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { ServerIdentity } from '../ports/policy.ts';
import type { ServerWorld } from '../ports/world.ts';

const NAMESPACE = 'kube-system';
const LABEL = 'apiserver.kubernetes.io/identity';
const COMPONENT = 'kube-apiserver';
const DURATION_SECONDS = 3600;
const INTERVAL_MS = 10_000;
/** So many rounds make an hour: how often others' leases are looked at. */
const ROUNDS_PER_SWEEP = 360;

export type IdentityLeaseWorld = Pick<ServerWorld, 'cache' | 'loopback' | 'update' | 'clock' | 'random' | 'log'>;

/**
 * Keeps the Lease by which the servers of a cluster know each other, and takes away those of servers that are long
 * gone (upstream: identity leases, and their garbage collector). Ends when the Lease is there.
 */
export async function holdIdentity(world: IdentityLeaseWorld, identity: ServerIdentity): Promise<Running> {
  const holder = new IdentityHolder(world, identity);
  await holder.first;
  return holder;
}

class IdentityHolder implements Running {
  readonly #world: IdentityLeaseWorld;
  readonly #identity: ServerIdentity;
  readonly #holder: string;
  readonly #rounds: Rounds;
  #roundsSoFar = 0;

  constructor(world: IdentityLeaseWorld, identity: ServerIdentity) {
    this.#world = world;
    this.#identity = identity;
    this.#holder = `${identity.name}_${world.random.uuid()}`;
    const { clock, log } = world;
    this.#rounds = startRounds({
      clock,
      everyMs: INTERVAL_MS,
      run: () => this.#round(),
      failed: (error) => log.error(error, 'The Lease of the API server was not renewed', { reason: messageOf(error) }),
    });
  }

  /** Resolves when the Lease is there, or could not be written. */
  get first(): Promise<void> {
    return this.#rounds.first;
  }

  async stop(): Promise<void> {
    await this.#rounds.stop();
    try {
      await this.#remove(this.#identity.name);
    } catch (error) {
      this.#world.log.warn('The Lease of the API server stays until it runs out', { reason: messageOf(error) });
    }
  }

  async #round(): Promise<void> {
    await this.#renew();
    if (this.#roundsSoFar++ % ROUNDS_PER_SWEEP === 0) await this.#sweep();
  }

  async #renew(): Promise<void> {
    const { loopback, update, clock } = this.#world;
    const spec = {
      holderIdentity: this.#holder,
      leaseDurationSeconds: DURATION_SECONDS,
      renewTime: formatMicroTime(clock.now()),
    };
    const { name, hostname } = this.#identity;
    const labels = { [LABEL]: COMPONENT, [wellknown.LABEL_HOSTNAME]: hostname };
    try {
      await update({ resource: LEASES, namespace: NAMESPACE, name }, (draft) => Object.assign(draft, { spec }));
    } catch (error) {
      if (!status.isNotFound(error)) throw error;
      const body: Lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { namespace: NAMESPACE, name, labels },
        spec,
      };
      await loopback.call({ verb: 'create', resource: LEASES, namespace: NAMESPACE, body });
    }
  }

  /** Leases of servers that have not renewed them for as long as they promised to. */
  async #sweep(): Promise<void> {
    const { cache, clock } = this.#world;
    for (const { metadata, spec } of cache.list(LEASES, NAMESPACE) as readonly Lease[]) {
      if (metadata.labels?.[LABEL] !== COMPONENT || metadata.name === undefined) continue;
      const renewed = Date.parse(spec?.renewTime ?? '') || 0;
      const seconds = spec?.leaseDurationSeconds ?? 0;
      if (renewed + seconds * 1000 < clock.now()) await this.#remove(metadata.name);
    }
  }

  async #remove(name: string): Promise<void> {
    try {
      await this.#world.loopback.call({ verb: 'delete', resource: LEASES, namespace: NAMESPACE, name });
    } catch (error) {
      if (!status.isNotFound(error)) throw error;
    }
  }
}
