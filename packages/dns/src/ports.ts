/** Another name server: address and port. */
export interface Upstream {
  readonly host: string;
  readonly port: number;
}

/** One message out and the answer back; rejects when none came in time. The answer is not looked at. */
export interface Exchange {
  ask(
    upstream: Upstream,
    message: Uint8Array,
    options: { readonly stream: boolean; readonly timeoutMs: number; readonly accepts: (reply: Uint8Array) => boolean },
  ): Promise<Uint8Array>;
}
