import type { UserInfo } from '@binnacle/machinery';

/** What is asked, as authorisation and audit see it. Resource requests have `resource`, others `path` only. */
export interface RequestAttributes {
  readonly user: UserInfo;
  /** `get list watch create update patch delete deletecollection`, or the lower-case HTTP method for paths. */
  readonly verb: string;
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** The request is given up: whoever is asked need not answer any more. */
  readonly signal?: AbortSignal;
}

/** `noOpinion` leaves the decision to the next authorizer; nobody's opinion is a refusal. */
export interface AuthorizationDecision {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  readonly reason: string;
}

/**
 * Decides about one request. Whoever knows the answer gives it at once, without a promise; who has to ask somebody (a
 * webhook) promises it. Never throws: what fails is an answer too, by the caller's choice of `noOpinion` or `deny`.
 */
export interface Authorizer {
  authorize(attributes: RequestAttributes): AuthorizationDecision | Promise<AuthorizationDecision>;
}

/** One that always knows: it reads nothing but what is in memory. */
export interface LocalAuthorizer extends Authorizer {
  authorize(attributes: RequestAttributes): AuthorizationDecision;
}
