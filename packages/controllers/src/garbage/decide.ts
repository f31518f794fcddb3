import type { KubeObject, OwnerReference } from '@binnacle/machinery';

/** How an owner that a reference points at was found. */
export type OwnerState =
  /** There, and not waiting for this dependent. */
  | 'solid'
  /** There is no such object (or another one has its name). */
  | 'dangling'
  /** Being deleted in the foreground: waits for its dependents to go first. */
  | 'waiting';

export interface Judged {
  readonly reference: OwnerReference;
  readonly state: OwnerState;
}

/** What to do with an object, given its owners. */
export type Verdict =
  | { readonly kind: 'keep' }
  /** It still has an owner: only references to the others go. */
  | { readonly kind: 'drop-references'; readonly uids: readonly string[] }
  | {
      readonly kind: 'delete';
      readonly propagationPolicy: 'Background' | 'Foreground' | 'Orphan';
      /** A circle of blocking references is broken first by letting go. */
      readonly unblock: boolean;
    };

/**
 * The rule of garbage collection: an object lives as long as one of its owners does; one without owners is nobody's
 * garbage.
 */
export function judge(
  object: KubeObject,
  owners: readonly Judged[],
  dependents: { readonly any: boolean; readonly someWaiting: boolean },
): Verdict {
  if (owners.length === 0) return { kind: 'keep' };
  const of = (state: OwnerState): readonly string[] =>
    owners.filter((owner) => owner.state === state).map((owner) => owner.reference.uid);
  const [solid, gone, waiting] = [of('solid'), of('dangling'), of('waiting')];
  if (solid.length > 0) {
    const uids = [...gone, ...waiting];
    return uids.length === 0 ? { kind: 'keep' } : { kind: 'drop-references', uids };
  }
  if (waiting.length > 0 && dependents.any) {
    return { kind: 'delete', propagationPolicy: 'Foreground', unblock: dependents.someWaiting };
  }
  const finalizers = object.metadata.finalizers ?? [];
  const policy = finalizers.includes('orphan')
    ? 'Orphan'
    : finalizers.includes('foregroundDeletion')
      ? 'Foreground'
      : 'Background';
  return { kind: 'delete', propagationPolicy: policy, unblock: false };
}
