import type { Cause } from '@binnacle/base';
import type { UserInfo } from '@binnacle/machinery';
import type { Credentials } from '../ports/authentication.ts';
import type { Query } from './query.ts';

/** What the caller sent: over HTTP bytes that are read on demand, in-process the value itself. */
export type RequestBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: unknown }
  /** Throws StatusError: 413 over the limit, 400 when the sender broke off. */
  | { readonly kind: 'bytes'; read(): Promise<Uint8Array> };

/** One request, however it came. */
export interface ApiRequest {
  /** Upper case. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Query;
  /** Empty when absent; the name in lower case. */
  header(name: string): string;
  /** An in-process caller is known already; others are authenticated. */
  readonly user?: UserInfo;
  readonly credentials: Credentials;
  readonly body: RequestBody;
  /** What made the caller ask, as far as it says (law 11). */
  readonly cause?: Cause;
  readonly signal?: AbortSignal;
}
