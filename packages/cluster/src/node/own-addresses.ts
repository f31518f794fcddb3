import { networkInterfaces } from 'node:os';
import { serverAddressIn } from '../service-ranges.ts';

/** Whether a server that listens on this host listens on all addresses. */
export function isWildcard(host: string | undefined): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Whether nobody but this machine reaches it. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** An address under which others on this machine reach a server that listens on `host`. */
export function reachableHost(host: string): string {
  return isWildcard(host) ? '127.0.0.1' : host;
}

/** The node's own addresses, which clients may use when the server listens on all of them. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}

/** The first address under which others than this machine may reach it; undefined: there is none. */
export function firstOwnAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

/** Every address that an API server is reached by, for its certificate: each range of Services has one. Throws ClusterError. */
export function certifiedAddresses(
  host: string | undefined,
  {
    advertised = [],
    serviceCidrs = [],
  }: { readonly advertised?: readonly string[]; readonly serviceCidrs?: readonly string[] },
): string[] {
  const heard = isWildcard(host) ? ownAddresses() : host === undefined ? [] : [host];
  return [...new Set([...heard, ...advertised, ...serviceCidrs.map((range) => serverAddressIn(range))])];
}
