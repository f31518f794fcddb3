import type { JsonEndpoint } from './json-endpoint.ts';

/** What stands in the chain of who decides, beside webhooks. */
export type AuthorizerType = 'AlwaysAllow' | 'AlwaysDeny' | 'Node' | 'RBAC';

/** A webhook that is asked by SubjectAccessReviews. */
export interface AuthorizationWebhook {
  readonly endpoint: JsonEndpoint;
  readonly version: 'v1' | 'v1beta1';
  /** How long a yes holds; 0: it is not remembered. */
  readonly authorizedTtlMs: number;
  /** The same for a no, or no opinion. */
  readonly unauthorizedTtlMs: number;
  /** For one try. */
  readonly timeoutMs: number;
  /** What it means when nobody answers, or a condition fails. */
  readonly failurePolicy: 'NoOpinion' | 'Deny';
  /** In CEL over `request`; all have to hold for the webhook to be asked. */
  readonly matchConditions: readonly string[];
}

/** One of the chain. */
export type AuthorizerSettings =
  | { readonly type: AuthorizerType; readonly name: string }
  | { readonly type: 'Webhook'; readonly name: string; readonly webhook: AuthorizationWebhook };

/** Upstream's default of ours: nodes by their graph, everybody else by roles. */
export const DEFAULT_AUTHORIZERS: readonly AuthorizerSettings[] = [
  { type: 'Node', name: 'node' },
  { type: 'RBAC', name: 'rbac' },
];
