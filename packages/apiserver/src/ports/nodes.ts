import type { Duplex, HttpReply } from '@binnacle/base';

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

/** A stream of a node's kubelet: another protocol on the connection. */
export interface NodeUpgrade extends NodeRequest {
  readonly method: string;
  /** Of the handshake, names in lower case. */
  readonly headers: { readonly [name: string]: string };
}

/** The kubelet has changed the protocol. */
export interface NodeUpgraded {
  readonly headers: { readonly [name: string]: string };
  readonly stream: Duplex;
}

/** A whole request, passed on. */
export interface NodeForward extends NodeRequest {
  readonly method: string;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string | readonly string[] };
  readonly body?: AsyncIterable<Uint8Array>;
}

/** A port of a pod. */
export interface PodPort {
  readonly nodeName: string;
  readonly namespace: string;
  readonly name: string;
  /** The pod's, for messages. */
  readonly address: string;
  readonly port: number;
}

/** Speaks to kubelets: over HTTPS (`connectNodes` of ./node), or to those of the same process. */
export interface NodeConnector {
  /** One GET. Throws with a message for the client when nothing answers. */
  get(request: NodeRequest): Promise<NodeReply>;
  /** Asks for another protocol; a refusal is an ordinary reply. Throws as `get`. */
  open(request: NodeUpgrade): Promise<NodeReply | NodeUpgraded>;
  /** Any request, with all of its answer. Throws as `get`, and 400 where the node may not be asked. */
  forward(request: NodeForward): Promise<HttpReply>;
  /** Connects to a pod whose address is on no network, and rejects when nothing listens; undefined for all others. */
  connectPod(port: PodPort): (() => Promise<Duplex>) | undefined;
}
