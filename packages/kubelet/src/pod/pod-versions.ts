import type { Pod } from '@binnacle/api/core/v1';
import { deepEqual } from '@binnacle/machinery';

/** Whether two versions of a pod differ in what its status says, at most. */
export function differsInStatusAlone(before: Pod, after: Pod): boolean {
  return (
    before.metadata.generation === after.metadata.generation &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    sameNotes(before, after) &&
    (before.spec === after.spec || deepEqual(before.spec, after.spec))
  );
}

/** Whether two versions of a pod have the same labels and annotations. */
export function sameNotes({ metadata: before }: Pod, { metadata: after }: Pod): boolean {
  return (
    deepEqual(before.labels ?? {}, after.labels ?? {}) && deepEqual(before.annotations ?? {}, after.annotations ?? {})
  );
}

/** Whether its volumes stay: files show its labels and annotations, and one that comes to debug may use what nobody had. */
export function sameForVolumes(before: Pod, after: Pod): boolean {
  const { ephemeralContainers: had = [] } = before.spec;
  const { ephemeralContainers: has = [] } = after.spec;
  return sameNotes(before, after) && had.length === has.length;
}
