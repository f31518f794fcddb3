import { revisionOf, wellknown } from '@binnacle/api';
import type { Deployment, ReplicaSet } from '@binnacle/api/apps/v1';
import type { PodTemplateSpec } from '@binnacle/api/core/v1';
import { restsTheSame } from '../kept-template.ts';

/** A deployment with the replica sets that are its own. */
export interface Seen {
  readonly deployment: Deployment;
  /** The set that has the deployment's template; undefined before it is made. */
  readonly newSet: ReplicaSet | undefined;
  readonly oldSets: readonly ReplicaSet[];
}

/** Tells the new set from the old ones. Of several with the same template the oldest is the new set. */
export function sortOut(deployment: Deployment, sets: readonly ReplicaSet[]): Seen {
  const newSet = [...sets].sort(byAge).find((set) => isSameTemplate(set.spec.template, deployment.spec.template));
  return { deployment, newSet, oldSets: sets.filter((set) => set !== newSet) };
}

export function allSets(seen: Seen): readonly ReplicaSet[] {
  return seen.newSet === undefined ? seen.oldSets : [...seen.oldSets, seen.newSet];
}

export function sizeOf(set: ReplicaSet): number {
  return set.spec.replicas ?? 1;
}

export function availableOf(set: ReplicaSet): number {
  return set.status?.availableReplicas ?? 0;
}

export function sum(sets: readonly ReplicaSet[], of: (set: ReplicaSet) => number): number {
  return sets.reduce((total, set) => total + of(set), 0);
}

/** Sets that want pods. */
export function activeSets(sets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  return sets.filter((set) => sizeOf(set) > 0);
}

/** Oldest first; the name decides between equals. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const [timeA, timeB] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (timeA !== timeB) return timeA < timeB ? -1 : 1;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}

/** Lowest revision first, then oldest first. */
export function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [one, other] = [revisionOf(a), revisionOf(b)];
  return one === other ? byAge(a, b) : one < other ? -1 : 1;
}

export function annotationNumber(set: ReplicaSet, key: string): number | undefined {
  const text = set.metadata.annotations?.[key];
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;
}

/** Whether two templates make the same pods: the hash label is the controller's own addition. */
export function isSameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return restsTheSame(withoutHash(a), withoutHash(b));
}

/** A template as the deployment has it. */
export function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec | undefined {
  if (template === undefined) return undefined;
  const { [wellknown.LABEL_POD_TEMPLATE_HASH]: _hash, ...labels } = template.metadata.labels ?? {};
  const { labels: _labels, creationTimestamp: _time, ...metadata } = template.metadata;
  return { ...template, metadata: { ...metadata, ...(Object.keys(labels).length === 0 ? {} : { labels }) } };
}
