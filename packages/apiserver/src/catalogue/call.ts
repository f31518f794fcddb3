import type { ResourceInfo } from '@binnacle/api';
import type { Cause } from '@binnacle/base';
import type { UserInfo } from '@binnacle/machinery';
import type { Query } from '../request/query.ts';
import type { RequestInfo } from '../request/info.ts';
import type { ApiRequest } from '../request/api-request.ts';
import type { ServedResource } from './resource.ts';

/** One authorised call on any resource, stored or virtual. */
export interface AnyCall {
  readonly served: { readonly info: ResourceInfo };
  readonly info: RequestInfo;
  readonly query: Query;
  readonly request: ApiRequest;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Of this request itself. */
  readonly cause: Cause;
  /** Adds a `Warning` header. */
  warn(message: string): void;
}

/** One authorised call on a stored resource, as the verbs take it. */
export interface Call extends AnyCall {
  readonly served: ServedResource;
}
