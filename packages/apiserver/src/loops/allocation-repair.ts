import { SERVICES } from '@binnacle/api';
import { messageOf } from '@binnacle/base';
import type { ServerWorld } from '../ports/world.ts';
import type { ClusterIps } from '../kinds/core/services/allocation/cluster-ips.ts';
import type { NodePorts } from '../kinds/core/services/allocation/node-ports.ts';

/** Between the claim of an address and the Service that it is for there are milliseconds; this is ample. */
const GRACE_MS = 60_000;

/**
 * Gives back, once after the start, what a server that died between claim and Service left behind: what has no
 * Service now and none a minute later. Returns how to call it off.
 */
export function repairAllocations(
  { cache, clock, log }: Pick<ServerWorld, 'cache' | 'clock' | 'log'>,
  ips: ClusterIps,
  ports: NodePorts,
): () => void {
  const findIps = (): string[] =>
    ips.findOrphans(({ namespace, name }) => cache.get(SERVICES, namespace, name) !== undefined);
  const find = async (): Promise<{ ips: Set<string>; ports: Set<number> }> => ({
    ips: new Set(findIps()),
    ports: new Set(await ports.findOrphans()),
  });
  const repair = async (first: Awaited<ReturnType<typeof find>>): Promise<void> => {
    const now = await find();
    await Promise.all([...now.ips].filter((ip) => first.ips.has(ip)).map((ip) => ips.free(ip)));
    await ports.free([...now.ports].filter((port) => first.ports.has(port)));
  };
  const report = (error: unknown): void =>
    log.error(error, 'Allocations were not repaired', { reason: messageOf(error) });
  let cancel = (): void => undefined;
  let isOff = false;
  find().then((first) => {
    if (isOff || (first.ips.size === 0 && first.ports.size === 0)) return;
    const timer = clock.after(GRACE_MS, () => void repair(first).catch(report), { background: true });
    cancel = () => timer.cancel();
  }, report);
  return () => {
    isOff = true;
    cancel();
  };
}
