import { deepEqual } from '@binnacle/machinery';
import { deprecationOfNodeLabel, warnOfRequirements } from '../core/node/deprecated-labels.ts';
import type { CSIDriver, CSIStorageCapacity, StorageClass } from '../generated/storage-v1.ts';
import { fieldPath } from '../validation/path.ts';
import { Warnings } from '../validation/warnings.ts';

const TOKENS_IN_ATTRIBUTES =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

/** Of labels of nodes that a StorageClass allows. */
export function storageClassWarnings({ allowedTopologies }: StorageClass): readonly string[] {
  return (allowedTopologies ?? []).flatMap(({ matchLabelExpressions }, at) =>
    (matchLabelExpressions ?? []).flatMap(({ key }, nth) => {
      const deprecation = deprecationOfNodeLabel(key);
      if (deprecation === undefined) return [];
      return [`allowedTopologies[${at}].matchLabelExpressions[${nth}].key: ${deprecation}`];
    }),
  );
}

/** Of labels of nodes that a capacity is about. */
export function storageCapacityWarnings({ nodeTopology }: CSIStorageCapacity): readonly string[] {
  const warnings = new Warnings();
  const path = fieldPath('nodeTopology');
  warnOfRequirements(nodeTopology?.matchExpressions ?? [], path.child('matchExpressions'), warnings);
  for (const label of Object.keys(nodeTopology?.matchLabels ?? {})) {
    const deprecation = deprecationOfNodeLabel(label);
    if (deprecation !== undefined) warnings.add(path.child('matchLabels').child(label), deprecation);
  }
  return warnings.texts;
}

/** Of a driver that gets tokens where logs may show them. */
export function csiDriverWarnings({ spec }: CSIDriver, before?: CSIDriver): readonly string[] {
  const asks = (spec.tokenRequests?.length ?? 0) > 0 && typeof spec.serviceAccountTokenInSecrets !== 'boolean';
  if (!asks || (before !== undefined && deepEqual(before.spec.tokenRequests, spec.tokenRequests))) return [];
  return [TOKENS_IN_ATTRIBUTES];
}
