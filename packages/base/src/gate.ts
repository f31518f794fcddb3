import type { Cause } from './context.ts';
import type { TraceObject } from './trace.ts';

/** What a component is about to do. */
export interface Intent {
  /** In a few words: `sync default/frontend`. */
  readonly what: string;
  /** What made it due. */
  readonly because?: string;
  readonly object?: TraceObject;
  readonly cause?: Cause;
}

/** Lets people hold a component and have it do one thing at a time. What keeps it alive (Leases, watches) is not held. */
export interface Gate {
  /** The component can be held from now on. */
  join(component: string): void;
  /** Undefined: go on. A promise: held; resolves when it may go on, or when the signal aborts. Never rejects. */
  pass(component: string, intent: Intent, signal?: AbortSignal): Promise<void> | undefined;
}

/** Nobody is ever held. */
export const openGate: Gate = { join: () => undefined, pass: () => undefined };
