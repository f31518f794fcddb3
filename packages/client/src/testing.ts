export { createFaultyNetwork, overFaultyNetwork } from './testing/faulty-wire.ts';
export type { CallFault, FaultyNetwork, NetworkedServer, WireFaults } from './testing/faulty-wire.ts';
