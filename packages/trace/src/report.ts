import type { Cause, HopDetail, HopKind, TraceObject } from '@binnacle/base';

/** A hop as a component of another process tells it. */
export interface ReportedHop {
  readonly id?: string;
  readonly type: HopKind;
  readonly component: string;
  readonly title: string;
  readonly atMs: number;
  readonly durationMs: number;
  /** How long it was due before that, in the component's queue. */
  readonly waitedMs?: number;
  readonly object?: TraceObject;
  readonly revision?: string;
  readonly cause?: Pick<Cause, 'id' | 'component' | 'request' | 'revision'>;
  readonly error?: string;
  readonly detail?: HopDetail;
}

/** The body of POST on `hopreports`: what a component did since its last report. */
export interface HopReport {
  readonly apiVersion: string;
  readonly kind: 'HopReport';
  readonly hops: readonly ReportedHop[];
  /** How many the component had to drop. */
  readonly dropped: number;
}
