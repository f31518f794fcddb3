import type { ResourceInfo } from '@binnacle/api';
import type { CallContext } from '@binnacle/base';
import type { KubeObject, UserInfo } from '@binnacle/machinery';

/**
 * A resource or subresource that is answered by hand: reviews, bindings, tokens, evictions, scale.
 * The pipeline has authorised it and run admission on `body` (as CREATE of the subresource) before.
 */
export interface Responder {
  handle(request: ResponderRequest): Promise<KubeObject>;
}

export interface ResponderRequest {
  readonly info: ResourceInfo;
  readonly subresource: string;
  readonly verb: 'get' | 'create' | 'update' | 'patch';
  readonly namespace: string;
  readonly name: string;
  readonly user: UserInfo;
  /** Decoded and defaulted by the schema of the subresource's kind. */
  readonly body: KubeObject | undefined;
  readonly dryRun: boolean;
  readonly context: CallContext;
}
