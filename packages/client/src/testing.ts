export { createFakeWire } from './testing/fake-wire.ts';
export type { FakeWire, FakeWireOptions } from './testing/fake-wire.ts';
export { createFaultyNetwork } from './testing/faulty-wire.ts';
export type { CallFault, FaultyNetwork, WireFaults } from './testing/faulty-wire.ts';
