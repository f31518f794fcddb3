export { inOrder } from './order.ts';
export { LANES, laneOfComponent, laneOfUser } from './lanes.ts';
export type { Lane } from './lanes.ts';
export { TRACE_GROUP, TRACE_VERSION } from './hop.ts';
export type { HopCause, RingState, TraceHop, TraceHopList } from './hop.ts';
export type { PastRevision, PastRevisionList } from './revision.ts';
export type { PodExplanation } from './explanation.ts';
export type { HopReport, ReportedHop } from './report.ts';
