import type { ResourceInfo } from '@binnacle/api';
import type { GroupVersionKind, KubeObject, UserInfo } from '@binnacle/machinery';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** One change under admission. Mutating plugins write into `object`, which is not shared with anybody yet. */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  /** The resource in the version that was asked for; whoever matches by other versions converts. */
  readonly info: ResourceInfo;
  /** What `object` is: the resource's kind, or that of what a subresource takes (Eviction, Binding, Scale). */
  readonly kind: GroupVersionKind;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for a create whose name is generated later. */
  readonly name: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /**
   * CreateOptions, UpdateOptions, PatchOptions or DeleteOptions, as they came; `dryRun` counts, not theirs. Absent for
   * CONNECT.
   */
  readonly options: KubeObject | undefined;
  /** Absent for DELETE. For CONNECT the options of the connection, which have no metadata. */
  readonly object: KubeObject | undefined;
  /** Absent for CREATE and CONNECT. */
  readonly before: KubeObject | undefined;
  /**
   * The Namespace that the object is in, as the cache has it: shared, read only; undefined for cluster-scoped
   * resources and for one that is not there.
   */
  readonly namespaceObject: KubeObject | undefined;
  /** The request is given up: whoever is asked need not answer any more. */
  readonly signal: AbortSignal | undefined;
  /** The versions in which the resource is served; only the asked one for what is not the resource's own kind. */
  readonly versions: readonly ResourceInfo[];
  /** 1 when the plugins run once more because somebody asked for it. */
  readonly round: 0 | 1;
  /** Has the mutating pass run once more, so that what is new of the object is seen by all. At most once. */
  requestAnotherRound(): void;
  /** The object as another version shows it; read only. */
  inVersion(object: KubeObject, version: ResourceInfo): Promise<KubeObject>;
  /** What somebody made of the object in that version, in normal form with defaults, in the asked version. */
  rebuild(value: unknown, version: ResourceInfo): Promise<KubeObject>;
  /**
   * The object, as a version shows it, with a configuration of that version laid over it as an apply would: lists and
   * maps are merged by their keys. Builds anew. Throws LayOverError.
   */
  layOver(object: KubeObject, configuration: object, version: ResourceInfo): object;
  /** Adds a `Warning: 299` header to the reply. */
  warn(message: string): void;
  /** Adds to the request's audit record, `<plugin>/<what>`; the first value of a key stays. Bounded by the request. */
  annotate(key: string, value: string): void;
  /** The request waited so long for somebody else. */
  waited(seconds: number): void;
}

/**
 * One admission plugin. The mutating pass runs all of them before the object is validated, the validating pass after;
 * a lost race runs both again. What answers at once gives no promise.
 */
export interface AdmissionPlugin {
  readonly name: string;
  /**
   * What `admit` may make another: members of members (`spec.tolerations`), for the trace; `anything` where nobody can
   * say, which is dear. Absent: nothing.
   */
  readonly changes?: readonly string[] | 'anything';
  /** Whether the plugin has anything to say about such requests at all: asked once for each sort of them. */
  handles(operation: AdmissionOperation, info: ResourceInfo, subresource: string): boolean;
  /** Whether nobody has given it anything to do yet: asked at each request. Absent: it always has. */
  isIdle?(): boolean;
  /** Changes the object. Throws StatusError (`forbidden`) to refuse. */
  admit?(attributes: AdmissionAttributes): void | Promise<void>;
  /** Looks only. Throws StatusError to refuse. */
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}
