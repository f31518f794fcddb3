import type { ResourceInfo } from '@binnacle/api';
import type { KubeObject, UserInfo } from '@binnacle/machinery';

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
