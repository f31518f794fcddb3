import type { Cause } from './context.ts';

/** What a hop is about. */
export interface TraceObject {
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

/** The kinds of steps between `kubectl create` and a running container. */
export const HOP_KINDS = [
  'request',
  'authorization',
  'admission',
  'commit',
  'watch',
  'delivery',
  'queue',
  'reconcile',
  'decision',
  'kubelet',
  'runtime',
  'probe',
  'event',
] as const;

/** One of them. */
export type HopKind = (typeof HOP_KINDS)[number];

/** One step that somebody took, and why (law 11). Bodies of Secrets and tokens never enter it. */
export interface Hop {
  /** What later hops name as their cause (`Cause.id`), where there are any. */
  readonly id?: string;
  readonly kind: HopKind;
  /** `kube-apiserver`, `replication-controller`, `kubelet node-1`, … */
  readonly component: string;
  /** What was done, in a few words: `POST /api/v1/pods`, `create container`. */
  readonly name: string;
  /** Milliseconds since the epoch, with fractions. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** How long it was due before it began, in somebody's queue; absent: there is none, or nobody looked. */
  readonly waitedMs?: number;
  readonly object?: TraceObject;
  /** The revision that it made or saw. */
  readonly revision?: string;
  readonly cause?: Cause;
  /** Set when the step failed. */
  readonly error?: string;
  /** JSON, or what makes it when somebody asks; cheap to hold, and not called twice at a time. */
  readonly detail?: HopDetail | (() => HopDetail | undefined);
}

/** What a hop says beyond what all hops say. */
export interface HopDetail {
  readonly [name: string]: unknown;
}

/** Takes hops. `record` is cheap, never throws, and keeps no more than its bound. */
export interface Trace {
  /** False: nobody listens; callers need not even build the hop. */
  readonly on: boolean;
  /** Milliseconds since the epoch with fractions, for the times of a hop; 0 where nobody listens. */
  now(): number;
  record(hop: Hop): void;
}

/** Nobody listens. */
export const silentTrace: Trace = { on: false, now: () => 0, record: () => undefined };

/** What a hop says, put into words now where it was not before. */
export function detailOf({ detail }: Pick<Hop, 'detail'>): HopDetail | undefined {
  return typeof detail === 'function' ? detail() : detail;
}
