import { warnOfClaimSpec } from '../core/persistent-volume/warnings.ts';
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../generated/apps-v1.ts';
import type { ReplicationController } from '../generated/core-v1.ts';
import { fieldPath } from '../validation/path.ts';
import { Warnings } from '../validation/warnings.ts';
import { warnOfWorkloadName, warnOfWorkloadTemplate } from './template-warnings.ts';

const CLAIMS = fieldPath('spec', 'volumeClaimTemplates');
const KEPT = 'a negative value retains all historical revisions; a value >= 0 is recommended';

type Named = Deployment | ReplicaSet | ReplicationController;

/** Of a workload whose pods are called after it. */
export function namedWorkloadWarnings(workload: Named, before?: Named): readonly string[] {
  const warnings = new Warnings();
  warnOfWorkloadName(workload, before, warnings);
  warnOfWorkloadTemplate(workload, before, warnings);
  return warnings.texts;
}

/** Of a DaemonSet. */
export function daemonSetWarnings(set: DaemonSet, before?: DaemonSet): readonly string[] {
  const warnings = new Warnings();
  warnOfWorkloadTemplate(set, before, warnings);
  return warnings.texts;
}

/** Of a StatefulSet: its claims and its history too. */
export function statefulSetWarnings(set: StatefulSet, before?: StatefulSet): readonly string[] {
  const warnings = new Warnings();
  warnOfWorkloadTemplate(set, before, warnings);
  for (const [at, { spec }] of (set.spec?.volumeClaimTemplates ?? []).entries()) {
    warnOfClaimSpec(spec, CLAIMS.index(at), warnings);
  }
  if ((set.spec?.revisionHistoryLimit ?? 0) < 0) warnings.add(fieldPath('spec', 'revisionHistoryLimit'), KEPT);
  return warnings.texts;
}
