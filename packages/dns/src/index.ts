/** The door of dns: the cluster's names and everybody else's; sockets are in `./node`. */
export { ClusterZone } from './cluster-zone.ts';
export type { ZoneOptions } from './cluster-zone.ts';
export { readForwarding, readResolvConf } from './config.ts';
export { DnsConfigError, UpstreamError } from './errors.ts';
export { followCluster } from './follow-cluster.ts';
export type { Following } from './follow-cluster.ts';
export { Forwarder } from './forwarder.ts';
export type { ForwarderOptions, Forwarded, ForwardingConfig } from './forwarder.ts';
export type { Exchange, Upstream } from './ports.ts';
export { Resolver } from './resolver.ts';
export type { ResolverOptions, Transport } from './resolver.ts';
export type { EndpointRecord, PortRecord, ServiceRecord, SliceRecord } from './services.ts';
