import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';

/** The counts that workloads report; those that a kind does not have are absent. */
export interface ReplicaCounts {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly collisionCount?: number;
}

const COUNTS = [
  'replicas',
  'fullyLabeledReplicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'observedGeneration',
  'collisionCount',
] as const;

/** The part of the whole that only one sort of kind tells; an absent one counts as zero. */
type OwnPart = 'fullyLabeledReplicas' | 'updatedReplicas';

/** Counts that are not negative, parts that are not more than the whole; `path` is the status'. */
export function validateReplicaCounts(
  status: ReplicaCounts,
  { path, ownPart }: { readonly path: FieldPath; readonly ownPart: OwnPart },
  report: Report,
): void {
  for (const count of COUNTS) report.nonNegative(path.child(count), status[count]);
  const all = status.replicas ?? 0;
  for (const part of [ownPart, 'readyReplicas', 'availableReplicas'] as const) {
    const count = status[part] ?? 0;
    if (count > all) report.invalid(path.child(part), count, 'cannot be greater than status.replicas');
  }
  const available = status.availableReplicas ?? 0;
  if (available > (status.readyReplicas ?? 0)) {
    report.invalid(path.child('availableReplicas'), available, 'cannot be greater than readyReplicas');
  }
}

/** A hash collision once counted stays counted; `path` is the status'. */
export function validateCollisionCount(
  given: { readonly after: ReplicaCounts; readonly before: ReplicaCounts },
  path: FieldPath,
  report: Report,
): void {
  const count = given.after.collisionCount ?? 0;
  if (count >= (given.before.collisionCount ?? 0)) return;
  report.invalid(path.child('collisionCount'), count, 'cannot be decremented');
}
