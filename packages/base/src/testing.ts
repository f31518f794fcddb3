export { VirtualClock } from './testing/virtual-clock.ts';
export { duplexSuite } from './testing/duplex-suite.ts';
export type { DuplexBench, DuplexGaps } from './testing/duplex-suite.ts';
export { makeTestCertificate } from './testing/certificate.ts';
export type { TestCertificate } from './testing/certificate.ts';
export { takeTestRanges } from './testing/test-ranges.ts';
export type { TestRanges } from './testing/test-ranges.ts';
export { countTimers } from './testing/counted-clock.ts';
export type { CountedClock } from './testing/counted-clock.ts';
