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
}

export interface AuthorizationDecision {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  readonly reason: string;
}

export interface Authorizer {
  authorize(attributes: RequestAttributes): AuthorizationDecision;
}
