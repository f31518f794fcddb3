import type { UserInfo } from '@binnacle/machinery';
import type { AdmittedBy } from '../recording/record.ts';
import type { RequestInfo } from './info.ts';
import type { ApiRequest } from './api-request.ts';

/** Takes what a request says, for the record. */
export interface RequestTrail {
  received(value: unknown): void;
}

/** Whose flow schema and priority level a request is of. */
export interface RequestFlow {
  readonly schemaUid: string;
  readonly levelUid: string;
}

/** One request on its way through the pipeline; each step adds what it finds out. */
export interface Exchange {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  /** As the client said, or the server's own: two requests may have the same. */
  readonly auditId: string;
  /** By which the trace and causes name it: no other request has the same. */
  readonly id: string;
  /** Nobody before authentication. */
  user: UserInfo;
  /** The constrained right by which the caller is somebody else; undefined where there is none of that. */
  impersonation: string | undefined;
  /** Who really called, where he goes on as somebody else. */
  impersonator: UserInfo | undefined;
  /** What a request to make an object calls it; undefined before its body is read, and where it gives no name. */
  named: string | undefined;
  /** Why the authorizer said yes; undefined before it did. */
  allowed: string | undefined;
  /** What admission plugins changed, for the trace; undefined while there is nothing. */
  admitted: AdmittedBy[] | undefined;
  /** Another API server answers it: its body is not for this one to read. Known when it is authorised. */
  isPassedOn: boolean;
  /** What is asked for has protobuf messages, so that the answer may be one; known when it is served. */
  hasMessages: boolean;
  /** What is asked for can be shown as a Table; known when it is served. */
  hasTables: boolean;
  /** It asks for a version that is on its way out; known when it is served. */
  isDeprecated: boolean;
  /** Texts of `Warning` headers. */
  readonly warnings: string[];
  /** Of the audit record, by key; undefined while there are none. */
  annotations: Map<string, string> | undefined;
  /** What is recorded of it, where it is. */
  audit: RequestTrail | undefined;
  /** Of whose flow schema and priority level it is; undefined while that is not known, and for those who need no seats. */
  flow: RequestFlow | undefined;
  /** Seconds that it waited for others: in a queue, for webhooks. */
  waited: number;
  /** Is told how large the answer is; undefined where nobody keeps score of that. */
  sizes: { observe(bytes: number): void } | undefined;
  /** Undo what steps took (a place in flight), last first, when the answer is made: then, by the clock that never goes back. */
  readonly releases: ((nowMs: number) => void)[];
}

export const NOBODY: UserInfo = { name: '', groups: [] };

/** What the server's own ID has: a UUID. */
const OWN_LENGTH = 36;

/**
 * The ID of a request among all others. `auditId`: what a client may have chosen, for requests of others too; `own`: a UUID
 * of the server, and the audit ID where the client chose none.
 */
export function requestId(auditId: string, own: string): string {
  return auditId === own ? own : `${auditId}:${own}`;
}

/** The audit ID of a request. */
export function auditIdOf(id: string): string {
  return id.length > OWN_LENGTH ? id.slice(0, -OWN_LENGTH - 1) : id;
}
