import type { ResourceInfo } from '@binnacle/api';
import type { CallContext, Clock, Logger, Random } from '@binnacle/base';
import type { KubeObject, UserInfo, Wire } from '@binnacle/machinery';
import type { Store } from '@binnacle/store';

/**
 * The ports inside the API server: between the request pipeline (http/, pipeline/, registry/, cache/) and
 * policy (auth/, admission/, bootstrap/, print/). Apps see none of them.
 */

/** What a connection and its headers say about the caller. */
export interface Credentials {
  /** The token of `Authorization: Bearer …`. */
  readonly bearerToken?: string;
  /** Subject of the client certificate that TLS verified against our CA: CN, O's. */
  readonly certificate?: { readonly commonName: string; readonly organizations: readonly string[] };
  /** A client certificate came that our CA did not sign. */
  readonly foreignCertificate?: true;
}

export interface Authenticator {
  /** Undefined: these credentials say nothing to it. Throws `unauthorized` for bad ones. */
  authenticate(credentials: Credentials): UserInfo | undefined | Promise<UserInfo | undefined>;
}

/** What is asked, as authorisation and audit see it. Resource requests have `resource`, others `path` only. */
export interface RequestAttributes {
  readonly user: UserInfo;
  /** `get list watch create update patch delete deletecollection`, or the lower-case HTTP method for paths. */
  readonly verb: string;
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export interface AuthorizationDecision {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  readonly reason: string;
}

export interface Authorizer {
  authorize(attributes: RequestAttributes): AuthorizationDecision;
}

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** One change under admission. Mutating plugins write into `object`, which is not shared with anybody yet. */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly info: ResourceInfo;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Absent for DELETE. */
  readonly object: KubeObject | undefined;
  /** Absent for CREATE. */
  readonly before: KubeObject | undefined;
  /** Adds a `Warning: 299` header to the reply. */
  warn(message: string): void;
}

export interface AdmissionPlugin {
  readonly name: string;
  /** Cheap: whether the plugin has anything to say about this request at all. */
  handles(operation: AdmissionOperation, info: ResourceInfo, subresource: string): boolean;
  /** Changes the object. Throws StatusError (`forbidden`) to refuse. */
  admit?(attributes: AdmissionAttributes): void | Promise<void>;
  /** Looks only. Throws StatusError to refuse. */
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}

/** Reads of the API server itself, from the watch caches, without authorisation; objects are shared: read only. */
export interface CacheReader {
  get(info: ResourceRefLike, namespace: string, name: string): KubeObject | undefined;
  list(info: ResourceRefLike, namespace?: string): readonly KubeObject[];
  /** Called after every change of a resource that a reader wants to keep a derived index of. Replays what is there. */
  follow(
    info: ResourceRefLike,
    onChange: (before: KubeObject | undefined, after: KubeObject | undefined) => void,
  ): () => void;
  /** Reads the store itself where the cache may be behind (several API servers on one etcd). */
  getLive(
    info: ResourceRefLike,
    namespace: string,
    name: string,
    context?: CallContext,
  ): Promise<KubeObject | undefined>;
}

export interface ResourceRefLike {
  readonly group: string;
  readonly resource: string;
}

/** What a kind's strategy decides in the pipeline beyond `KindRules`; in registry/<kind>/. All optional, all synchronous. */
export interface Strategy {
  /** Before a create is admitted: clears status, sets what the server sets. Writes into `object`. */
  prepareForCreate?(object: KubeObject): void;
  /** Before an update is admitted: keeps status, decides the generation. Writes into `object`. */
  prepareForUpdate?(object: KubeObject, before: KubeObject): void;
  /** Before a status update: keeps everything but status. */
  prepareForStatusUpdate?(object: KubeObject, before: KubeObject): void;
  /**
   * Side work around the write, such as allocating a ClusterIP: after mutating admission and before validation;
   * writes into `object`. `undo` runs when the write fails, `done` (absent: nothing to do) when it is in the store.
   */
  allocate?(object: KubeObject, before: KubeObject | undefined, dryRun: boolean): Allocation | Promise<Allocation>;
  /** After a delete is in the store. */
  release?(object: KubeObject): void | Promise<void>;
  /** The status of a new object is the caller's (nodes register with theirs). */
  readonly keepsStatusOnCreate?: boolean;
  /** Warnings for the caller. */
  warnings?(object: KubeObject): readonly string[];
  /** Default deletion propagation when the caller says none. */
  readonly defaultPropagation?: 'Background' | 'Orphan';
  /** Grace period in seconds that a delete gets when the caller gives none; pods: spec's, 0 for unscheduled ones. */
  gracePeriod?(object: KubeObject, asked: number | undefined): number;
  /** Whether an update may carry no resourceVersion. */
  readonly allowUnconditionalUpdate?: boolean;
  /** Whether PUT on a name that does not exist creates it (leases, events, …). */
  readonly allowCreateOnUpdate?: boolean;
}

/** What an allocation leaves behind; undefined when it had nothing to do. */
export type Allocation = { undo(): void | Promise<void>; done?(): void | Promise<void> } | undefined;

/**
 * A resource or subresource that is answered by hand: reviews, bindings, tokens, evictions, scale.
 * The pipeline has authorised it and run admission on `body` (as CREATE of the subresource) before.
 */
export interface VirtualHandler {
  handle(request: VirtualRequest): Promise<KubeObject>;
}

export interface VirtualRequest {
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

/** Column and rows of a Table for one kind, in print/<kind>.ts. */
export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  /** The cells of one object, one per column; `now` in milliseconds since the epoch, for ages. */
  row(object: KubeObject, now: number): readonly (string | number | boolean | null)[];
}

export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  /** 0: always shown; 1: with `-o wide`. */
  readonly priority: number;
}

/**
 * Read, change, compare-and-swap in the store, again on conflict. Neither authorisation nor admission; strategy,
 * validation and encoding as for any update. `change` writes into a draft of its own, may run more than once and
 * may throw StatusError to refuse. Throws `notFound`.
 */
export type GuaranteedUpdate = (
  target: { readonly resource: ResourceRefLike; readonly namespace: string; readonly name: string },
  change: (draft: KubeObject) => void,
  options?: {
    readonly dryRun?: boolean;
    readonly subresource?: string;
    readonly user?: UserInfo;
    readonly context?: CallContext;
  },
) => Promise<KubeObject>;

/** What policy is handed when the API server is put together. */
export interface PolicyWorld {
  readonly cache: CacheReader;
  /** Calls into the server's own pipeline as `system:apiserver` (system:masters). May be called only after start. */
  readonly loopback: Wire;
  readonly update: GuaranteedUpdate;
  /** For what is no object: the record of node ports. */
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The key that signs ServiceAccount tokens (ES256); the adapter is in node/, another may keep the key elsewhere. */
export interface TokenKeys {
  /** `kid` of the signing key. */
  readonly keyId: string;
  /** The signature in JOSE form (64 bytes: r, s). */
  sign(data: Uint8Array): Uint8Array;
  verify(data: Uint8Array, signature: Uint8Array, keyId: string): boolean;
  /** Public keys as JSON Web Keys, for `/openid/v1/jwks`. */
  readonly publicKeys: readonly { readonly [name: string]: string }[];
}

/** What an administrator decides about policy. */
export interface PolicyOptions {
  readonly tokenKeys: TokenKeys;
  /** Default `https://kubernetes.default.svc.cluster.local`; also the default audience. */
  readonly issuer?: string;
  /** Default `10.96.0.0/16`. One range, or one of each family. */
  readonly serviceCidrs?: readonly string[];
  /** Default 30000–32767, both included. */
  readonly nodePortRange?: { readonly first: number; readonly last: number };
  /** PEM of the CA that signs client certificates, published in `extension-apiserver-authentication`. */
  readonly clientCa?: string;
  /** Default true: callers without credentials are `system:anonymous`. */
  readonly anonymous?: boolean;
}

/** All of policy put together (createPolicy in policy.ts); the pipeline asks it, in the order of the fields. */
export interface Policy {
  /** Always answers: anonymous last. Throws `unauthorized`. */
  authenticate(credentials: Credentials): UserInfo | Promise<UserInfo>;
  readonly authorizer: Authorizer;
  /** In upstream's order; the mutating pass runs them all, then the validating pass. */
  readonly admission: readonly AdmissionPlugin[];
  /** By `resource[/subresource]` with the group after a dot: `pods/binding`, `tokenreviews.authentication.k8s.io`. */
  readonly virtual: ReadonlyMap<string, VirtualHandler>;
  /** By `pods`, `deployments.apps`. */
  readonly printers: ReadonlyMap<string, TablePrinter>;
  /** To be joined with the kind's own strategy, by `services`. */
  readonly allocations: ReadonlyMap<string, Pick<Strategy, 'allocate' | 'release'>>;
  /** Writes what a cluster starts with, skipping what exists; call when the pipeline runs, before `/readyz` says yes. */
  bootstrap(server: { readonly addresses: readonly string[]; readonly port: number }): Promise<void>;
  /** Bodies of `/.well-known/openid-configuration` and `/openid/v1/jwks`. */
  readonly openid: { readonly configuration: unknown; readonly keys: unknown };
  close(): void;
}

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
