/** One GET of an httpGet probe or hook; the time in milliseconds. */
export interface HttpProbeRequest {
  readonly scheme: 'HTTP' | 'HTTPS';
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly timeoutMs: number;
  /** As whom it is asked where its headers do not say; absent: as a probe. */
  readonly userAgent?: 'kube-probe' | 'kube-lifecycle';
}

/** What came back, or why nothing did, in Go's words. */
export type HttpProbeAnswer =
  | { readonly status: number; readonly body: string }
  /** `speaksPlain`: it was asked by TLS and does not speak it. */
  | { readonly error: string; readonly speaksPlain?: true };

/** One question to a pod's gRPC health server; the time in milliseconds. */
export interface GrpcProbeRequest {
  readonly host: string;
  readonly port: number;
  /** Which of its services is meant; empty: the server as a whole. */
  readonly service: string;
  readonly timeoutMs: number;
}

/** Reaching a pod over its network. Never throws: a failure is an answer. */
export interface NetworkProbe {
  http(request: HttpProbeRequest): Promise<HttpProbeAnswer>;
  /** Undefined: connected. */
  tcp(host: string, port: number, timeoutMs: number): Promise<string | undefined>;
  /** Undefined: it serves. */
  grpc(request: GrpcProbeRequest): Promise<string | undefined>;
}
