import { defaultPersistentVolumeClaim } from '../../core/persistent-volume/defaults.ts';
import { defaultPodTemplate } from '../../core/pod/defaults.ts';
import type { Draft } from '../../draft.ts';
import type { StatefulSet, StatefulSetSpec } from '../../generated/apps-v1.ts';

export function defaultStatefulSet(set: Draft<StatefulSet>): void {
  const spec = set.spec;
  if (!spec) return;
  if (!spec.podManagementPolicy) spec.podManagementPolicy = 'OrderedReady';
  defaultUpdateStrategy(spec);
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  if (!retention.whenDeleted) retention.whenDeleted = 'Retain';
  if (!retention.whenScaled) retention.whenScaled = 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template);
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = 'v1';
    claim.kind = 'PersistentVolumeClaim';
    defaultPersistentVolumeClaim(claim);
  }
}

/** An explicit strategy without `rollingUpdate` stays without it. */
function defaultUpdateStrategy(spec: Draft<StatefulSetSpec>): void {
  const strategy = (spec.updateStrategy ??= {});
  if (!strategy.type) {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type !== 'RollingUpdate' || !strategy.rollingUpdate) return;
  // Upstream has `maxUnavailable` behind a gate that is closed by default: who says nothing of it stores nothing.
  strategy.rollingUpdate.partition ??= 0;
}
