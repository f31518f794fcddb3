import { SERVICES } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import type { IPAddress } from '@binnacle/api/networking/v1';
import { messageOf, startRounds } from '@binnacle/base';
import type { Running } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import { IP_ADDRESSES } from '../kinds/core/services/allocation/cluster-ips.ts';
import type { ClusterIps } from '../kinds/core/services/allocation/cluster-ips.ts';
import type { NodePorts } from '../kinds/core/services/allocation/node-ports.ts';
import type { ServerWorld } from '../ports/world.ts';

/** Between the claim of an address and the Service that it is for there are milliseconds; this is ample. */
const GRACE_MS = 60_000;
/** Upstream's. */
const INTERVAL_MS = 180_000;

type World = Pick<ServerWorld, 'cache' | 'clock' | 'log'>;

interface Orphans {
  readonly ips: ReadonlySet<string>;
  readonly ports: ReadonlySet<number>;
}

/**
 * Gives back what a server that died between claim and Service left behind: what has no Service now and none when
 * it is looked at again. A claim that somebody deletes under a Service comes back at once.
 */
export function repairAllocations(world: World, ips: ClusterIps, ports: NodePorts): Running {
  const { cache, clock } = world;
  let known: Orphans | undefined;
  const failed = (error: unknown): void => report(world, error);
  const rounds = startRounds({
    clock,
    failed,
    everyMs: () => (known !== undefined && known.ips.size + known.ports.size > 0 ? GRACE_MS : INTERVAL_MS),
    run: async () => {
      await restoreMissing(cache, ips);
      known = await giveBack(world, { ips, ports, known });
    },
  });
  const unfollow = cache.follow(IP_ADDRESSES, (before, after) => {
    const service = after === undefined && before !== undefined ? holderOf(cache, before) : undefined;
    if (service !== undefined) restore(ips, service).catch(failed);
  });
  return {
    stop: () => {
      unfollow();
      return rounds.stop();
    },
  };
}

/** Frees those that were orphans before and still are; answers with those of now. */
async function giveBack(
  { cache }: World,
  { ips, ports, known }: { ips: ClusterIps; ports: NodePorts; known: Orphans | undefined },
): Promise<Orphans> {
  const hasService = ({ namespace, name }: { namespace: string; name: string }): boolean =>
    cache.get(SERVICES, namespace, name) !== undefined;
  const now = { ips: new Set(ips.findOrphans(hasService)), ports: new Set(await ports.findOrphans()) };
  if (known === undefined) return now;
  const oldIps = [...now.ips].filter((ip) => known.ips.has(ip));
  const oldPorts = [...now.ports].filter((port) => known.ports.has(port));
  await Promise.all(oldIps.map((ip) => ips.free(ip)));
  await ports.free(oldPorts);
  for (const ip of oldIps) now.ips.delete(ip);
  for (const port of oldPorts) now.ports.delete(port);
  return now;
}

/** The Service that a claim was for, where it still has the address. */
function holderOf(cache: World['cache'], claim: KubeObject): Service | undefined {
  const { parentRef } = (claim as IPAddress).spec;
  if (parentRef?.resource !== 'services' || (parentRef.group ?? '') !== '') return undefined;
  const service = cache.get(SERVICES, parentRef.namespace ?? '', parentRef.name ?? '') as Service | undefined;
  return service !== undefined && addressesOf(service).includes(claim.metadata.name ?? '') ? service : undefined;
}

async function restoreMissing(cache: World['cache'], ips: ClusterIps): Promise<void> {
  for (const service of cache.list(SERVICES) as readonly Service[]) {
    if (addressesOf(service).some((ip) => cache.get(IP_ADDRESSES, '', ip) === undefined)) await restore(ips, service);
  }
}

async function restore(ips: ClusterIps, service: Service): Promise<void> {
  const { namespace = '', name = '' } = service.metadata;
  for (const ip of addressesOf(service)) await ips.claim(ip, { namespace, name }, false);
}

function addressesOf({ spec }: Service): readonly string[] {
  return (spec.clusterIPs ?? []).filter((ip) => ip !== '' && ip !== 'None');
}

function report({ log }: World, error: unknown): void {
  log.error(error, 'Allocations were not repaired', { reason: messageOf(error) });
}
