import { inRanges, ipFamily } from '@binnacle/base';
import type { Backend, Fate, NodeRules, Protocol, ServiceRules } from './rules.ts';

/** The first packet of a connection, as a node sees it. */
export interface Packet {
  readonly source: string;
  readonly destination: string;
  readonly protocol: Protocol;
  readonly port: number;
}

/** What becomes of a packet. `pass`: no Service is meant, it goes on as it would. */
export type Outcome =
  | { readonly to: 'pass' | 'reject' | 'drop' }
  | {
      readonly to: 'backends';
      readonly id: string;
      readonly backends: readonly Backend[];
      /** Whether the source is replaced on the way to a backend. */
      readonly masquerades: (backend: Backend) => boolean;
    };

/** A node as a packet finds it. */
export interface PacketPath {
  readonly node: NodeRules;
  readonly services: readonly ServiceRules[];
  /** The machine's own addresses, loopback among them. */
  readonly addresses: ReadonlySet<string>;
}

/** The way of a packet through a node's rules, told slowly and plainly: what every driver must come to. */
export function followPacket(path: PacketPath, packet: Packet): Outcome {
  const fromMachine = path.addresses.has(packet.source);
  if (path.node.insiders !== undefined && !fromMachine && !inRanges(path.node.insiders)(packet.source)) {
    return unserved(path, packet);
  }
  const family = ipFamily(packet.destination);
  const spoken = path.services.filter((one) => one.protocol === packet.protocol && one.family === family);
  const internal = first(spoken.filter((service) => isInternal(service, packet)));
  if (internal !== undefined) {
    return meet(internal, packet, { fate: internal.internalFate, masked: asksForMask(path, packet) });
  }
  const outer = first(spoken.filter((service) => isExternal(service, path, packet)));
  if (outer !== undefined) return external(outer, path, packet);
  return unserved(path, packet);
}

/** Two Services may name one external address: the first by name has it, and a ClusterIP is nobody else's. */
function first(services: readonly ServiceRules[]): ServiceRules | undefined {
  return services.toSorted((a, b) => (a.id < b.id ? -1 : 1))[0];
}

function isInternal({ clusterIP, port }: ServiceRules, packet: Packet): boolean {
  return clusterIP === packet.destination && port === packet.port;
}

function isExternal({ external, port }: ServiceRules, path: PacketPath, packet: Packet): boolean {
  if (external === undefined) return false;
  if (external.addresses.includes(packet.destination) && packet.port === port) return true;
  return external.nodePort !== 0 && external.nodePort === packet.port && answersNodePorts(path, packet.destination);
}

function answersNodePorts({ node, addresses }: PacketPath, destination: string): boolean {
  if (node.nodePortAddresses !== undefined) return node.nodePortAddresses.includes(destination);
  return addresses.has(destination) && !isLoopback(destination);
}

function external(service: ServiceRules, path: PacketPath, packet: Packet): Outcome {
  const { external: rules, firewall } = service;
  if (rules === undefined) return { to: 'pass' };
  // Source ranges bear on the balancer's port, and not on node ports.
  const isWalled = firewall?.addresses.includes(packet.destination) === true && packet.port === service.port;
  if (isWalled && !inRanges(firewall.sources)(packet.source)) return { to: 'drop' };
  if (!rules.keepsSource) return meet(service, packet, { fate: rules.fate, masked: true });
  const fromMachine = path.addresses.has(packet.source);
  if (fromMachine || inRanges(path.node.podRanges)(packet.source)) {
    return meet(service, packet, { fate: rules.insideFate, masked: fromMachine });
  }
  return meet(service, packet, { fate: rules.fate, masked: false });
}

function meet(service: ServiceRules, packet: Packet, way: { readonly fate: Fate; readonly masked: boolean }): Outcome {
  if (way.fate === 'reject' || way.fate === 'drop') return { to: way.fate };
  return {
    to: 'backends',
    id: service.id,
    backends: service.backends[way.fate] ?? [],
    masquerades: ({ local, address }) => way.masked || (local && address === packet.source),
  };
}

/** An address of Services that has no such port is refused; one that nobody has is dropped. */
function unserved({ services, node }: PacketPath, { destination }: Packet): Outcome {
  for (const { clusterIP } of services) if (clusterIP === destination) return { to: 'reject' };
  return { to: inRanges(node.serviceRanges)(destination) ? 'drop' : 'pass' };
}

function asksForMask({ node }: PacketPath, { source }: Packet): boolean {
  return node.masqueradeAll || (node.podRanges.length > 0 && !inRanges(node.podRanges)(source));
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}
