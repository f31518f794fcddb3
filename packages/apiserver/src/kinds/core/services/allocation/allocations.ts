import { SERVICES } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import { UNCOUNTED } from '../../../../ports/measures.ts';
import type { AllocationMeasures } from '../../../../ports/measures.ts';
import type { PolicyOptions } from '../../../../ports/policy.ts';
import type { Strategy } from '../../../../ports/strategy.ts';
import type { ServerWorld } from '../../../../ports/world.ts';
import { ClusterIps } from './cluster-ips.ts';
import type { AddressOwner } from './cluster-ips.ts';
import { NodePorts } from './node-ports.ts';
import { createServiceAllocation } from './service-allocation.ts';
import { nodePortsOf } from './service-ports.ts';

const DEFAULT_NODE_PORTS = { first: 30_000, last: 32_767 };
const DEFAULT_SERVICE_CIDRS: readonly string[] = ['10.96.0.0/16'];

/** Which addresses and ports there are to give. */
export type AllocationOptions = Pick<PolicyOptions, 'serviceCidrs' | 'nodePortRange'>;
type AllocationWorld = Pick<ServerWorld, 'store' | 'random' | 'cache' | 'log' | 'loopback'> & {
  /** Absent: nobody keeps score. */
  readonly allocationMeasures?: AllocationMeasures;
};

export interface Allocations {
  /** Of Services. */
  readonly strategy: Pick<Strategy, 'allocate' | 'release'>;
  readonly serviceCidrs: readonly string[];
  readonly ips: ClusterIps;
  readonly ports: NodePorts;
  close(): void;
}

export function createAllocations(world: AllocationWorld, options: AllocationOptions): Allocations {
  const { store, random, cache, log, allocationMeasures: measures = UNCOUNTED } = world;
  const serviceCidrs = options.serviceCidrs ?? DEFAULT_SERVICE_CIDRS;
  const portsInUse = function* (): Iterable<number> {
    for (const service of cache.list(SERVICES)) yield* nodePortsOf(service as Service);
  };
  const ips = new ClusterIps({ ...world, measures }, serviceCidrs);
  const range = options.nodePortRange ?? DEFAULT_NODE_PORTS;
  const ports = new NodePorts({ store, random, range, portsInUse, measures });
  measures.follow(() => {
    const allocated = new Set(portsInUse()).size;
    const available = range.last - range.first + 1 - allocated;
    return { ranges: ips.standing(), ports: { allocated, available } };
  });
  const find = ({ namespace, name }: AddressOwner): Service | undefined =>
    cache.get(SERVICES, namespace, name) as Service | undefined;
  return {
    strategy: createServiceAllocation({ ips, ports, log, find }),
    ips,
    ports,
    serviceCidrs,
    close: () => ips.close(),
  };
}
