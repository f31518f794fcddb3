import { defaultPodTemplate } from '../../core/pod/defaults.ts';
import type { Draft } from '../../draft.ts';
import type { Deployment } from '../../generated/apps-v1.ts';

export function defaultDeployment(deployment: Draft<Deployment>): void {
  const spec = deployment.spec;
  if (!spec) return;
  spec.replicas ??= 1;
  const strategy = (spec.strategy ??= {});
  if (!strategy.type) strategy.type = 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rolling = (strategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= '25%';
    rolling.maxSurge ??= '25%';
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  defaultPodTemplate(spec.template);
}
