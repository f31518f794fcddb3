export { createFakeWire } from './testing/fake-wire.ts';
export type { CallFault, FakeFaults, FakeWire, FakeWireOptions } from './testing/fake-wire.ts';
