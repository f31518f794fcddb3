import { messageOf, startRounds } from '@binnacle/base';
import type { Rounds, Running } from '@binnacle/base';
import { prefixEnd } from '@binnacle/store';
import { ensureAll } from '../bootstrap/bootstrap.ts';
import { kubernetesEndpoints, kubernetesEndpointSlice } from '../bootstrap/cluster-objects.ts';
import type { ServerWorld } from '../ports/world.ts';

/** Where every API server of the cluster, upstream's too, keeps a key with a lease for its address. */
const LEASES = '/registry/masterleases/';
/** Upstream's: a server that is gone for so long is taken out. */
const TTL_SECONDS = 15;
const INTERVAL_MS = 10_000;

export interface PublishedEndpointsWorld extends Pick<
  ServerWorld,
  'cache' | 'loopback' | 'update' | 'clock' | 'store' | 'log'
> {
  /** Where others reach this server: not a loopback address. */
  readonly address: string;
  readonly port: number;
}

/**
 * Keeps `endpoints/kubernetes` and its slice at the addresses of the servers that run: each holds a lease on its own
 * address, and writes down all that are held (upstream's lease reconciler). Ends with the first round.
 */
export async function publishEndpoints(world: PublishedEndpointsWorld): Promise<Running> {
  const publisher = new EndpointPublisher(world);
  await publisher.first;
  return publisher;
}

class EndpointPublisher implements Running {
  readonly #world: PublishedEndpointsWorld;
  readonly #rounds: Rounds;
  #lease = 0;

  constructor(world: PublishedEndpointsWorld) {
    this.#world = world;
    const { clock, log } = world;
    this.#rounds = startRounds({
      clock,
      everyMs: INTERVAL_MS,
      run: () => this.#round(),
      failed: (error) =>
        log.error(error, 'Addresses of the API servers were not published', { reason: messageOf(error) }),
    });
  }

  /** Resolves when the addresses are written, or could not be. */
  get first(): Promise<void> {
    return this.#rounds.first;
  }

  /** The others take the address out with their next round; the last one leaves it for its next start. */
  async stop(): Promise<void> {
    await this.#rounds.stop();
    if (this.#lease === 0) return;
    const { store, log } = this.#world;
    try {
      await store.revokeLease(this.#lease);
    } catch (error) {
      log.warn('The lease of the address stays until it runs out', { reason: messageOf(error) });
    }
  }

  async #round(): Promise<void> {
    await this.#renew();
    await this.#write();
  }

  async #renew(): Promise<void> {
    const { store, address } = this.#world;
    // Nobody else is on a store of one process, and it may be gone longer than a lease lives.
    if (store.cachesAreCurrent) return;
    if (this.#lease !== 0 && (await isAlive(store, this.#lease))) return;
    const { id } = await store.grantLease(TTL_SECONDS);
    this.#lease = id;
    const key = LEASES + address;
    await store.txn({
      compare: [],
      success: [{ type: 'put', key, value: leaseValue(address), lease: id }],
      failure: [],
    });
  }

  async #write(): Promise<void> {
    const { port } = this.#world;
    const addresses = await this.#held();
    await ensureAll(this.#world, [kubernetesEndpoints(addresses, port), kubernetesEndpointSlice(addresses, port)]);
  }

  async #held(): Promise<readonly string[]> {
    const { store, address } = this.#world;
    if (store.cachesAreCurrent) return [address];
    const { kvs } = await store.range({ key: LEASES, end: prefixEnd(LEASES), keysOnly: true });
    return kvs.map(({ key }) => key.slice(LEASES.length));
  }
}

async function isAlive(store: PublishedEndpointsWorld['store'], lease: number): Promise<boolean> {
  const { ttl } = await store.leaseStatus(lease);
  if (ttl <= 0) return false;
  await store.keepAlive(lease);
  return true;
}

/** What upstream's servers read there. */
function leaseValue(ip: string): Uint8Array {
  const object = { kind: 'Endpoints', apiVersion: 'v1', metadata: {}, subsets: [{ addresses: [{ ip }] }] };
  return new TextEncoder().encode(JSON.stringify(object));
}
