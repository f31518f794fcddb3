import { SERVICES } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import type { Policy, PolicyOptions, PolicyWorld } from '../../../../ports/policy.ts';
import { repairAllocations } from '../../../../loops/allocation-repair.ts';
import { ClusterIps } from './cluster-ips.ts';
import type { AddressOwner } from './cluster-ips.ts';
import { NodePorts } from './node-ports.ts';
import { createServiceAllocation } from './service-allocation.ts';
import { nodePortsOf } from './service-ports.ts';

const DEFAULT_NODE_PORTS = { first: 30_000, last: 32_767 };
const DEFAULT_SERVICE_CIDRS: readonly string[] = ['10.96.0.0/16'];

export interface Allocations {
  readonly strategies: Policy['allocations'];
  readonly serviceCidrs: readonly string[];
  /** Looks for what a server that died left behind. Returns how to call it off. */
  repair(): () => void;
  close(): void;
}

export function createAllocations(world: PolicyWorld, options: PolicyOptions): Allocations {
  const { store, random, cache, log } = world;
  const serviceCidrs = options.serviceCidrs ?? DEFAULT_SERVICE_CIDRS;
  const portsInUse = function* (): Iterable<number> {
    for (const service of cache.list(SERVICES)) yield* nodePortsOf(service as Service);
  };
  const ips = new ClusterIps(world, serviceCidrs);
  const ports = new NodePorts({ store, random, range: options.nodePortRange ?? DEFAULT_NODE_PORTS, portsInUse });
  const find = ({ namespace, name }: AddressOwner): Service | undefined =>
    cache.get(SERVICES, namespace, name) as Service | undefined;
  return {
    strategies: new Map([['services', createServiceAllocation({ ips, ports, log, find })]]),
    serviceCidrs,
    repair: () => repairAllocations(world, ips, ports),
    close: () => ips.close(),
  };
}
