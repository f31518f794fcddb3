/** One HTTP request, whatever the version of the protocol. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: Uint8Array | undefined;
}

/** Takes an answer in pieces. Exactly one of `end` and `fail` is called, last. */
export interface ExchangeSink {
  head(status: number, header: (name: string) => string | undefined): void;
  data(chunk: Uint8Array): void;
  /** The answer is complete. */
  end(): void;
  fail(error: Error): void;
}

export interface RunningExchange {
  /** Nothing is told to the sink after this. */
  cancel(): void;
}

/** A connection, or a pool of them, to one server. */
export interface Transport {
  send(exchange: Exchange, sink: ExchangeSink): RunningExchange;
  close(): Promise<void>;
}
