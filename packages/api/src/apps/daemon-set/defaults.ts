import { defaultPodTemplate } from '../../core/pod/defaults.ts';
import type { Draft } from '../../draft.ts';
import type { DaemonSet } from '../../generated/apps-v1.ts';

export function defaultDaemonSet(set: Draft<DaemonSet>): void {
  const spec = set.spec;
  if (!spec) return;
  const strategy = (spec.updateStrategy ??= {});
  if (!strategy.type) strategy.type = 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rolling = (strategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= 1;
    rolling.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template);
}
