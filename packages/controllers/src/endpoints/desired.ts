import { isPodReady } from '@binnacle/api';
import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from '@binnacle/api/core/v1';
import {
  addressesOf,
  belongsInEndpoints,
  familiesOf,
  hostnameOf,
  onEachPod,
  podReference,
} from '../service-endpoints.ts';
import type { TargetPorts } from '../service-endpoints.ts';

/** An Endpoints object holds this many addresses; slices hold them all. */
export const ADDRESSES_MAX = 1000;

/** Ports, and one text for all that are alike. */
interface PortGroup {
  readonly ports: readonly EndpointPort[];
  readonly key: string;
}

interface Member {
  readonly address: EndpointAddress;
  readonly ready: boolean;
  readonly group: PortGroup;
}

/** The subsets of a service: addresses with the same ports together, each in the order of its text. */
export function desiredSubsets(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const groups = new Map<string, Member[]>();
  const onPod = onEachPod(service, (targetOf) => portsOf(service, targetOf));
  for (const pod of pods) {
    const member = memberOf(service, pod, onPod);
    if (member === undefined) continue;
    const { key } = member.group;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [member]);
    else group.push(member);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, members]) => subsetOf(members));
}

function memberOf(service: Service, pod: Pod, onPod: (pod: Pod) => PortGroup): Member | undefined {
  const everybody = service.spec.publishNotReadyAddresses === true;
  if (!belongsInEndpoints(pod, { terminating: everybody })) return undefined;
  const [family] = familiesOf(service);
  const ip = addressesOf(pod, family)[0];
  if (ip === undefined) return undefined;
  const group = onPod(pod);
  // Only a headless service may do without ports.
  if (group.ports.length === 0 && ((service.spec.ports ?? []).length > 0 || service.spec.clusterIP !== 'None'))
    return undefined;
  const hostname = hostnameOf(pod, service);
  const { nodeName = '' } = pod.spec;
  const address = {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === '' ? {} : { nodeName }),
    targetRef: podReference(pod),
  };
  return { address, ready: everybody || isPodReady(pod), group };
}

function portsOf(service: Service, targetOf: TargetPorts): PortGroup {
  const ports = (service.spec.ports ?? []).flatMap((one): EndpointPort[] => {
    const port = targetOf(one);
    if (port === undefined) return [];
    const { name, protocol = 'TCP', appProtocol } = one;
    return [
      {
        ...(name === undefined ? {} : { name }),
        port,
        protocol,
        ...(appProtocol === undefined ? {} : { appProtocol }),
      },
    ];
  });
  ports.sort(byPort);
  const key = JSON.stringify(ports.map((port) => [port.name, port.port, port.protocol, port.appProtocol]));
  return { ports, key };
}

function subsetOf(members: readonly Member[]): EndpointSubset {
  const sorted = [...members].sort((a, b) => (textOf(a.address) < textOf(b.address) ? -1 : 1));
  const addresses = sorted.filter((one) => one.ready).map((one) => one.address);
  const notReadyAddresses = sorted.filter((one) => !one.ready).map((one) => one.address);
  const ports = members[0]?.group.ports ?? [];
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
    ...(ports.length === 0 ? {} : { ports }),
  };
}

/**
 * Cut to ADDRESSES_MAX when there are more: ready addresses before others, each subset by its share, rounded up, so
 * that the last one may get less. Answers the very subsets when they fit.
 */
export function truncated(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  const ready = sum(subsets, (subset) => subset.addresses?.length ?? 0);
  const others = sum(subsets, (subset) => subset.notReadyAddresses?.length ?? 0);
  if (ready + others <= ADDRESSES_MAX) return subsets;
  const cutReady = ready > ADDRESSES_MAX;
  const [room, total] = cutReady ? [ADDRESSES_MAX, ready] : [ADDRESSES_MAX - ready, others];
  let left = room;
  return subsets.map((subset) => {
    const { addresses = [], notReadyAddresses = [], ports } = subset;
    const list = cutReady ? addresses : notReadyAddresses;
    const kept = list.slice(0, Math.min(left, Math.ceil((list.length / total) * room)));
    left -= kept.length;
    const readyOnes = cutReady ? kept : addresses;
    const otherOnes = cutReady ? [] : kept;
    return {
      ...(readyOnes.length === 0 ? {} : { addresses: readyOnes }),
      ...(otherOnes.length === 0 ? {} : { notReadyAddresses: otherOnes }),
      ...(ports === undefined ? {} : { ports }),
    };
  });
}

function sum(subsets: readonly EndpointSubset[], of: (subset: EndpointSubset) => number): number {
  return subsets.reduce((total, subset) => total + of(subset), 0);
}

function textOf(address: EndpointAddress): string {
  return `${address.ip} ${address.targetRef?.uid ?? ''}`;
}

function byPort(a: EndpointPort, b: EndpointPort): number {
  const [nameA, nameB] = [a.name ?? '', b.name ?? ''];
  return nameA === nameB ? a.port - b.port : nameA < nameB ? -1 : 1;
}
