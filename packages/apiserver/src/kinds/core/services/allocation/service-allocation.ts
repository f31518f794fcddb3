import type { Draft } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { FieldError, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Allocation, Strategy } from '../../../../ports/strategy.ts';
import { ClusterIpError } from './cluster-ips.ts';
import type { AddressOwner, ClaimedIp, ClusterIps } from './cluster-ips.ts';
import { decideFamilies } from './ip-families.ts';
import type { Family } from './ip-families.ts';
import { NodePortError } from './node-ports.ts';
import type { NodePorts } from './node-ports.ts';
import { carryPorts, findPortNeeds, nodePortsOf } from './service-ports.ts';

export interface ServiceAllocationWorld {
  readonly ips: ClusterIps;
  readonly ports: NodePorts;
  readonly log: Logger;
  /** The Service of that name as it is now. */
  find(owner: AddressOwner): Service | undefined;
}

/** What one write has taken, to be given back when the write fails. */
interface Taken {
  readonly ips: string[];
  readonly ports: number[];
}

/** Cluster IPs and node ports of Services, around their writes. */
export function createServiceAllocation(world: ServiceAllocationWorld): Pick<Strategy, 'allocate' | 'release'> {
  return {
    allocate: (object, before, dryRun) => allocate(world, { object, before, dryRun }),
    release: (object) => give(world, whatIsLeft(world, object as Service)),
  };
}

/** What a deleted Service had, less what a new one of its name has taken over already. */
function whatIsLeft(world: ServiceAllocationWorld, deleted: Service): Taken {
  const { namespace = '', name = '' } = deleted.metadata;
  return surplusOf(deleted, world.find({ namespace, name }));
}

async function allocate(
  world: ServiceAllocationWorld,
  change: { object: KubeObject; before: KubeObject | undefined; dryRun: boolean },
): Promise<Allocation> {
  const service = change.object as Draft<Service>;
  const before = change.before as Service | undefined;
  if (before !== undefined) carryPorts(service, before);
  refuse(service, decideFamilies(service, before, world.ips.families));
  const taken: Taken = { ips: [], ports: [] };
  try {
    await allocateIps(world, service, { before, dryRun: change.dryRun, taken });
    await allocatePorts(world, service, { before, dryRun: change.dryRun, taken });
  } catch (error) {
    await give(world, taken);
    throw error;
  }
  const surplus = surplusOf(before, service);
  return {
    undo: () => (change.dryRun ? undefined : give(world, taken)),
    done: () => (change.dryRun ? undefined : give(world, surplus)),
  };
}

interface Progress {
  readonly before: Service | undefined;
  readonly dryRun: boolean;
  readonly taken: Taken;
}

async function allocateIps(
  { ips }: ServiceAllocationWorld,
  service: Draft<Service>,
  progress: Progress,
): Promise<void> {
  const { spec, metadata } = service;
  if (spec.type === 'ExternalName' || spec.clusterIPs?.[0] === 'None') return;
  const owner: AddressOwner = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
  const held = progress.before === undefined ? [] : clusterIpsOf(progress.before);
  const given = [...(spec.clusterIPs ?? [])];
  for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
    const asked = given[i] ?? '';
    // An address once set stays: another one is refused by validation, whether it is free or not.
    if (asked !== '' && held[i] !== undefined) continue;
    const { ip, isNew } = await takeIp(
      { ips, service, owner },
      { asked, family: family as Family, dryRun: progress.dryRun },
    );
    given[i] = ip;
    if (isNew && !progress.dryRun) progress.taken.ips.push(ip);
  }
  spec.clusterIPs = given;
  spec.clusterIP = given[0] ?? '';
}

async function takeIp(
  { ips, service, owner }: { ips: ClusterIps; service: Draft<Service>; owner: AddressOwner },
  { asked, family, dryRun }: { asked: string; family: Family; dryRun: boolean },
): Promise<ClaimedIp> {
  try {
    return asked === '' ? await ips.claimAny(family, owner, dryRun) : await ips.claim(asked, owner, dryRun);
  } catch (error) {
    if (!(error instanceof ClusterIpError)) throw error;
    if (asked === '') throw status.internalError(`failed to allocate a serviceIP: ${error.message}`);
    const why = `failed to allocate IP ${asked}: ${error.message}`;
    throw invalid(service, [new FieldError('FieldValueInvalid', 'spec.clusterIPs', service.spec.clusterIPs, why)]);
  }
}

async function allocatePorts(
  { ports }: ServiceAllocationWorld,
  service: Draft<Service>,
  progress: Progress,
): Promise<void> {
  const { wanted, places } = findPortNeeds(service);
  const kept = nodePortsOf(progress.before);
  const fresh = wanted.filter((port) => !kept.has(port));
  if (fresh.length === 0 && places.length === 0) return;
  try {
    const chosen = await ports.claim(fresh, places.length, progress.dryRun);
    if (!progress.dryRun) progress.taken.ports.push(...fresh, ...chosen);
    for (const [i, place] of places.entries()) place(chosen[i] ?? 0);
  } catch (error) {
    if (!(error instanceof NodePortError)) throw error;
    if (error.code !== 'allocated' && error.code !== 'range') {
      throw status.internalError(`failed to allocate a nodePort: ${error.message}`);
    }
    throw invalid(service, [portError(service, { ports, fresh, error })]);
  }
}

/** Names the port that is meant: the one outside the range, else the first that is new. */
function portError(
  service: Draft<Service>,
  { ports, fresh, error }: { ports: NodePorts; fresh: readonly number[]; error: NodePortError },
): FieldError {
  const { first, last } = ports.range;
  const isOutside = (port: number): boolean => port < first || port > last;
  const port = fresh.find((one) => (error.code === 'range' ? isOutside(one) : true)) ?? 0;
  const at = service.spec.ports?.findIndex((one) => one.nodePort === port) ?? -1;
  const field = at === -1 ? 'spec.healthCheckNodePort' : `spec.ports[${at}].nodePort`;
  return new FieldError('FieldValueInvalid', field, port, error.message);
}

function clusterIpsOf(service: Service | undefined): string[] {
  const { clusterIP = '', clusterIPs = [clusterIP] } = service?.spec ?? {};
  return clusterIPs.filter((ip) => ip !== '' && ip !== 'None');
}

/** What a Service had that it has no more. */
function surplusOf(before: Service | undefined, now: Service | undefined): Taken {
  const ips = new Set(clusterIpsOf(now));
  const ports = nodePortsOf(now);
  return {
    ips: clusterIpsOf(before).filter((ip) => !ips.has(ip)),
    ports: [...nodePortsOf(before)].filter((port) => !ports.has(port)),
  };
}

/** What cannot be given back now is found again at the next start. */
async function give({ ips, ports, log }: ServiceAllocationWorld, taken: Taken): Promise<void> {
  try {
    await Promise.all([...taken.ips.map((ip) => ips.free(ip)), ports.free(taken.ports)]);
  } catch (error) {
    log.error(error, 'Addresses of a Service were not given back', { reason: messageOf(error) });
  }
}

function refuse(service: Service, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(service, errors);
}

function invalid(service: Service, errors: readonly FieldError[]): Error {
  return status.invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', errors);
}
