import type { Draft } from '../../draft.ts';
import type { ReplicationController } from '../../generated/core-v1.ts';
import { defaultPodTemplate } from '../pod/defaults.ts';

/** Selector and labels come from the template's labels where they are not given. */
export function defaultReplicationController(controller: Draft<ReplicationController>): void {
  const spec = (controller.spec ??= {});
  const labels = spec.template?.metadata?.labels;
  if (labels) {
    if (isEmpty(spec.selector)) spec.selector = { ...labels };
    if (isEmpty(controller.metadata.labels)) controller.metadata.labels = { ...labels };
  }
  spec.replicas ??= 1;
  defaultPodTemplate(spec.template);
}

function isEmpty(map: { readonly [key: string]: string } | undefined): boolean {
  return !map || Object.keys(map).length === 0;
}
