import type { Cause, Fence } from '@binnacle/base';
import type { UserInfo } from '@binnacle/machinery';
import type { Credentials } from '../ports/authentication.ts';
import type { YamlConverter } from '../ports/yaml.ts';
import type { Query } from './query.ts';

/** What the caller sent: over HTTP bytes that are read on demand, in-process the value itself. */
export type RequestBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: unknown }
  /**
   * Throws StatusError: 413 over the limit, 400 when the sender broke off, 504 when it takes too long, and what the
   * meter of the first call throws. Later calls answer the same.
   */
  | {
      readonly kind: 'bytes';
      read(meter?: BodyMeter): Promise<Uint8Array>;
      /** What `read` brought; undefined while it has not come. Absent: ask `read`. */
      arrived?(): Uint8Array | undefined;
      /**
       * The body piece by piece, of any size, in place of `read`: for who passes it on. Throws StatusError when the
       * sender breaks off. Absent where there is no stream.
       */
      stream?(): AsyncIterable<Uint8Array>;
    };

/** Is told of the bytes of a body as they come; may throw to have no more of them. */
export interface BodyMeter {
  take(bytes: number): void;
}

/** One request, however it came. */
export interface ApiRequest {
  /** Upper case. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Query;
  /** The query as it came, without its mark; absent where it did not come as text. */
  readonly queryText?: string;
  /** Empty when absent; the name in lower case. */
  header(name: string): string;
  /** All header lines, names in lower case, repeated ones apart; absent where there are none, as in process. */
  headerLines?(): Iterable<readonly [name: string, value: string]>;
  /** Whether a header's name begins so (lower case), without reading them all; absent: look at the lines. */
  hasHeadersLike?(prefix: string): boolean;
  /** An in-process caller is known already; others are authenticated. */
  readonly user?: UserInfo;
  readonly credentials: Credentials;
  /** Warnings have no way to whoever asks: none are worked out. */
  readonly isDeafToWarnings?: true;
  readonly body: RequestBody;
  /** What made the caller ask, as far as it says (law 11). */
  readonly cause?: Cause | undefined;
  /** In-process callers say it so, others by a header. */
  readonly fence?: Fence | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Set off when the client goes away; made when somebody asks for it. Absent: `signal` tells, or nobody does. */
  gone?(): AbortSignal;
  /** Calls when the client goes away, unless it is called off before; for who needs no signal, which costs more. */
  onGone?(run: () => void): () => void;
  /** Takes large YAML off this thread. Absent: it is converted here. */
  readonly yaml?: YamlConverter | undefined;
  /** Address of the client, as the connection says. */
  remoteAddress?(): string | undefined;
}
