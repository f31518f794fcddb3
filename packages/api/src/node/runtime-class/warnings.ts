import { deprecationOfNodeLabel } from '../../core/node/deprecated-labels.ts';
import type { RuntimeClass } from '../../generated/node-v1.ts';

/** Of labels of nodes that a RuntimeClass asks for. */
export function runtimeClassWarnings({ scheduling }: RuntimeClass): readonly string[] {
  const labels = Object.keys(scheduling?.nodeSelector ?? {});
  return labels.flatMap((label) => {
    const deprecation = deprecationOfNodeLabel(label);
    return deprecation === undefined ? [] : [`scheduling.nodeSelector: ${deprecation}`];
  });
}
