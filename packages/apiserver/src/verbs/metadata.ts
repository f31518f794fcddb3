import { nameSuffix } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import type { Core } from '../core.ts';
import type { Draft } from '../storage/draft.ts';
import { deepEqual } from '@binnacle/machinery';
import type { ServedResource } from '../catalogue/resource.ts';

const NAME_MAX = 63;
const SUFFIX_LENGTH = 5;

/** What the server sets on every new object, whatever the caller wrote there. */
export function stampNew(core: Core, draft: Draft, at: { namespace: string; generation: boolean }): void {
  const { metadata } = draft;
  metadata.namespace = at.namespace === '' ? undefined : at.namespace;
  metadata.uid = core.random.uuid();
  metadata.creationTimestamp = core.formatTime(core.clock.now());
  // What is absent stays absent: a field that is undefined would weigh on every object that is kept.
  for (const field of NOT_FROM_CALLERS) if (metadata[field] !== undefined) metadata[field] = undefined;
  if (at.generation) metadata.generation = 1;
}

const NOT_FROM_CALLERS = [
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
  'generation',
] as const;

/** `base` cut so that the suffix fits into a DNS label, and five letters. */
export function generateName(core: Core, base: string): string {
  return base.slice(0, NAME_MAX - SUFFIX_LENGTH) + nameSuffix(core.random, SUFFIX_LENGTH);
}

/** What no update changes: taken over from the object as it is. */
export function keepSystemFields(draft: Draft, before: KubeObject): void {
  const { metadata } = draft;
  const old = before.metadata;
  metadata.uid = old.uid;
  metadata.creationTimestamp = old.creationTimestamp;
  metadata.deletionTimestamp = old.deletionTimestamp;
  metadata.deletionGracePeriodSeconds = old.deletionGracePeriodSeconds;
  metadata.generation = old.generation;
  metadata.generateName = old.generateName;
  metadata.selfLink = undefined;
  metadata.managedFields = undefined;
}

/** One more than before when anything but metadata and status changed. */
export function nextGeneration(served: ServedResource, draft: Draft, before: KubeObject): void {
  if (!served.stored.traits.generation) return;
  const old = before as unknown as Draft;
  if (sameApart(draft, old)) return;
  draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

function sameApart(a: Draft, b: Draft): boolean {
  for (const field of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (field === 'metadata' || field === 'status' || field === 'kind' || field === 'apiVersion') continue;
    if (!deepEqual(a[field], b[field])) return false;
  }
  return true;
}
