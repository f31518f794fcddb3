export { ExtenderError, HeldBackError, NoBinderError, SchedulerConfigError } from './errors.ts';
export type { EnabledPlugin, ExtensionPoint, Handle, Lister, PluginFactory, Profile } from './handle.ts';
export type {
  BindingSink,
  CandidateKinds,
  Candidates,
  ClusterEvent,
  DomainView,
  EventAction,
  Failure,
  MaybePromise,
  NodeScore,
  NodeTest,
  PlannedBinding,
  Plugin,
  PostFilterResult,
  PreFilterResult,
  QueuedPod,
  QueueingHint,
  Refusal,
} from './plan/framework.ts';
export { MAX_NODE_SCORE, scaleScores } from './plan/framework.ts';
export { readSchedulerConfiguration } from './config/configuration.ts';
export type { LeaderElection, SchedulerConfiguration, TrustFiles } from './config/configuration.ts';
export { BACKOFF_MS } from './queue/backoff-pods.ts';
export { createHttpExtender } from './extenders/http-extender.ts';
export type { ExtenderConfig, ManagedResource } from './extenders/http-extender.ts';
export type { HostPort, PodDemand, Request } from './plan/demand.ts';
export type { ExplainedRefusal, ExplainedScore, Explanation } from './plan/explanation.ts';
export type { ExplainedPreemption, PreemptionFinding } from './plan/preemption-tale.ts';
export { PreemptionTale } from './plan/preemption-tale.ts';
export type { Extender, ExtenderFilterResult, NodeVictims } from './plan/extender.ts';
export type { Simulation, Snapshot } from './plan/snapshot.ts';
export { DEFAULT_PLUGINS, defaultProfile } from './profile.ts';
export { startScheduler } from './scheduler.ts';
export type { SchedulerHandle, SchedulerOptions } from './scheduler.ts';
