export { AccessReviews } from './access-reviews.ts';
export type { AccessReviewsOptions, AskedAccess } from './access-reviews.ts';
export { actOnEach } from './act-on-each.ts';
export { observedCause, timedCause } from './cause.ts';
export { createClient } from './client.ts';
export { isTransportError, TransportError } from './errors.ts';
export type { TransportFault } from './errors.ts';
export { createEventRecorder, createEventRecorders } from './event-recorder.ts';
export type { EventRecorderOptions } from './event-recorder.ts';
export { createInformer } from './informer.ts';
export { createFencedWire } from './fenced-wire.ts';
export type { Term } from './fenced-wire.ts';
export { isServed } from './is-served.ts';
export { runLeaderElection } from './leader-election.ts';
export type { Election, Lead, LeaderElectionOptions } from './leader-election.ts';
export { createLoggingWire } from './logging-wire.ts';
export type { LoggingWireOptions } from './logging-wire.ts';
export { cacheKey } from './object-cache.ts';
export { referenceTo } from './object-reference.ts';
export { createWorkQueue } from './work-queue.ts';
export type { WorkQueueOptions } from './work-queue.ts';
export type {
  Client,
  ClientWorld,
  CreateInformer,
  Draft,
  EventRecorder,
  Informer,
  InformerHandler,
  InformerNeeds,
  InformerOptions,
  ListQuery,
  ObjectList,
  ObjectReferenceLike,
  ResourceClient,
  SharedInformer,
  WatchQuery,
  WorkQueue,
  WriteQuery,
} from './ports.ts';
export { SwitchedWire } from './switched-wire.ts';
export { createTraceReporter } from './trace-reporter.ts';
export type { TraceReporterOptions } from './trace-reporter.ts';
