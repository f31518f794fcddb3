import type { KubeObject, Selector } from '@binnacle/machinery';
import type { ResourceRef } from '@binnacle/api';
import type { PodTemplateSpec } from '@binnacle/api/core/v1';
import type { PodSetStatus } from './status.ts';

/** A kind that wants a number of equal pods: what replication controllers and replica sets differ in. */
export interface PodSetKind<T extends KubeObject> {
  readonly ref: ResourceRef<T>;
  selector(owner: T): Selector;
  replicas(owner: T): number;
  template(owner: T): PodTemplateSpec | undefined;
  minReadySeconds(owner: T): number;
  status(owner: T): PodSetStatus | undefined;
  withStatus(owner: T, status: PodSetStatus): T;
  /** Has a terminatingReplicas field. */
  readonly tellsTerminating: boolean;
}
