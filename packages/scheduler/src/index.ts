export { ExtenderError, HeldBackError, NoBinderError, SchedulerConfigError } from './errors.ts';
export type {
  Candidates,
  ClusterEvent,
  EnabledPlugin,
  EventAction,
  ExtensionPoint,
  Failure,
  Handle,
  Lister,
  MaybePromise,
  NodeScore,
  NodeTest,
  Plugin,
  PluginFactory,
  PostFilterResult,
  PreFilterResult,
  Profile,
  QueuedPod,
  QueueingHint,
  Refusal,
} from './framework.ts';
export { MAX_NODE_SCORE, scaleScores } from './framework.ts';
export type { HostPort, PodDemand, Request } from './plan/demand.ts';
export type { ExplainedRefusal, ExplainedScore, Explanation } from './plan/explanation.ts';
export type { Extender, ExtenderFilterResult, NodeVictims } from './plan/extender.ts';
export type { Simulation, Snapshot } from './plan/snapshot.ts';
export { DEFAULT_PLUGINS, defaultProfile } from './profile.ts';
export { startScheduler } from './scheduler.ts';
export type { SchedulerHandle, SchedulerOptions } from './scheduler.ts';
