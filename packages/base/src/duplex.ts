/**
 * Bytes both ways: an exec session, a forwarded port, an upgraded HTTP connection. Neutral, so that the runtime,
 * the kubelet, the API server and a client can hand one on without knowing what carries it.
 */
export interface Duplex {
  /**
   * The next bytes from the other side; undefined when it has said its last (half-close), from then on. One read
   * at a time. Rejects when the connection broke or was aborted.
   */
  read(): Promise<Uint8Array | undefined>;
  /**
   * Resolves when there is room for more: who waits for it holds back as much as the other side does. The chunk
   * is the stream's from now on. Rejects when the connection broke, was aborted or was ended by us.
   */
  write(chunk: Uint8Array): Promise<void>;
  /** Half-close: nothing more will be written; reading goes on. Resolves when what was written is on its way. */
  end(): Promise<void>;
  /** Drops both directions at once; reads and writes that wait reject with `error`. May be called again. */
  abort(error?: Error): void;
  /** Resolves when both directions are over: with what broke it, undefined for an orderly end. Never rejects. */
  readonly closed: Promise<Error | undefined>;
}
