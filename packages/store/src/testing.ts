export { storeContract } from './node/contract/suite.ts';
export type { StoreFactory, StoreHarness } from './node/contract/harness.ts';
