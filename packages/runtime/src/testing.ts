export { runtimeContract } from './testing/suite.ts';
export { EventLog, plainContainer, plainSandbox } from './testing/harness.ts';
export type { Behaviour, RuntimeHarness } from './testing/harness.ts';
