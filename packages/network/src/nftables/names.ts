import { createHash } from 'node:crypto';
import type { Protocol } from '../rules.ts';

/** The kernel takes 255 letters. */
const NAME_LENGTH_MAX = 200;
const HASH_LENGTH = 20;

/** Names of chains, maps and sets of our table; those of one Service begin with what they are for. */
export const NAMES = {
  clusterIPs: 'cluster-ips',
  serviceIPs: 'service-ips',
  nodePorts: 'service-nodeports',
  unservedIPs: 'no-endpoint-services',
  unservedNodePorts: 'no-endpoint-nodeports',
  firewallIPs: 'firewall-ips',
  hairpins: 'hairpin-connections',
  insiders: 'insiders',
  nodePortIPs: 'nodeport-ips',
  services: 'services',
  masquerading: 'masquerading',
  reject: 'reject-chain',
} as const;

/** The chain that spreads over so many endpoints, of whatever ClusterIP it is. */
export function spreadChain(protocol: Protocol, count: number): string {
  return `${protocol}-spread-${count}`;
}

/** The map that has the endpoint of this number of each ClusterIP's port. */
export function endpointMap(protocol: Protocol, number: number): string {
  return `${protocol}-endpoints-${number}`;
}

/** A name that is one Service's alone, and that people can read: `service-1a2b3c4d5e-ns/web/http/tcp`. */
export function serviceName(
  kind: 'service' | 'local' | 'near' | 'external' | 'firewall' | 'endpoint' | 'affinity',
  id: string,
): string {
  return hashedName(kind, id);
}

/** A name for what has this id, that begins with what it is. */
export function hashedName(kind: string, id: string): string {
  const hash = createHash('sha256').update(id).digest('hex').slice(0, HASH_LENGTH);
  // What is not a letter of nft's identifiers is in the hash alone.
  return `${kind}-${hash}-${id.replace(/[^A-Za-z0-9._/-]/g, '_')}`.slice(0, NAME_LENGTH_MAX);
}
