export type {
  ClusterEvent,
  NodeScore,
  NodeTest,
  Plugin,
  PreFilterResult,
  Profile,
  QueuedPod,
  Refusal,
} from './framework.ts';
export { MAX_NODE_SCORE, scaleScores } from './framework.ts';
export type { HostPort, PodDemand, Request } from './plan/demand.ts';
export type { Explanation } from './plan/explanation.ts';
export { DEFAULT_PLUGINS, defaultProfile } from './profile.ts';
export { startScheduler } from './scheduler.ts';
export type { SchedulerHandle, SchedulerOptions } from './scheduler.ts';
