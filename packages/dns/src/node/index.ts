/** The door for Node: sockets, and the machine's own name servers. */
export { networkExchange } from './exchange.ts';
export { machineServerFiles, machineServers } from './machine-servers.ts';
export { listenDns } from './server.ts';
export type { DnsListener, DnsListenerOptions } from './server.ts';
