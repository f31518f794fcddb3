import type { Status, UserInfo } from '@binnacle/machinery';

/** How much of a request is kept: nothing, who and what, with the body, with the answer. */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';

/** When an event is made. `ResponseStarted` only for requests that last: watches, streams, proxies. */
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

/** Somebody, as events name them. */
export interface AuditUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: UserInfo['extra'];
}

/** What a request is about. */
export interface AuditObjectRef {
  resource?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiGroup?: string;
  apiVersion?: string;
  resourceVersion?: string;
  subresource?: string;
}

/** `audit.k8s.io/v1` Event, as it is written. */
export interface AuditEvent {
  readonly kind: 'Event';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser;
  /** By which constrained right the caller is that user. */
  readonly authenticationMetadata?: { readonly impersonationConstraint: string };
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: AuditObjectRef;
  readonly responseStatus?: Partial<Status>;
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  /** RFC 3339 with microseconds. */
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: { readonly [key: string]: string };
}

/** Where events go. */
export interface AuditSink {
  /** Of its metric: `log`, `webhook`, `buffered`. */
  readonly name: string;
  /** A request must not go on when its first event cannot be kept (upstream's `blocking-strict`). */
  readonly strict: boolean;
  /** Keeps events; a promise where the request has to wait for it. Throws, or rejects, when they are lost. */
  write(events: readonly AuditEvent[]): void | Promise<void>;
  /** The end is near: whoever does not answer is not asked again and again. */
  lastCall?(): void;
  /** Keeps what is still to be kept, as far as that goes. */
  close(): Promise<void>;
}
