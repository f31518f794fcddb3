/** Where a node's kubelet is reached, and for what. */
export interface NodeRequest {
  readonly nodeName: string;
  /** Of the Node's status: address by preference, and the port of its kubelet. */
  readonly host: string;
  readonly port: number;
  /** `/containerLogs/…`, encoded, with its query. */
  readonly path: string;
  /** The caller takes the node's word without a look at its certificate (`insecureSkipTLSVerifyBackend`). */
  readonly insecure: boolean;
  readonly signal: AbortSignal;
}

/** What a kubelet answers. The body is read at the pace of the reader; it throws when the connection breaks. */
export interface NodeReply {
  readonly status: number;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Speaks to kubelets: over HTTPS (`connectNodes` of ./node), or to those of the same process. */
export interface NodeConnector {
  /** One GET. Throws with a message for the client when nothing answers. */
  get(request: NodeRequest): Promise<NodeReply>;
}
