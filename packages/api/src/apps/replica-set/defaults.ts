import { defaultPodTemplate } from '../../core/pod/defaults.ts';
import type { Draft } from '../../draft.ts';
import type { ReplicaSet } from '../../generated/apps-v1.ts';

export function defaultReplicaSet(set: Draft<ReplicaSet>): void {
  const spec = set.spec;
  if (!spec) return;
  spec.replicas ??= 1;
  defaultPodTemplate(spec.template);
}
