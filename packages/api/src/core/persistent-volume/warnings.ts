import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
} from '../../generated/core-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Warnings } from '../../validation/warnings.ts';
import { warnOfRequirements } from '../node/deprecated-labels.ts';
import { warnOfFractions } from '../pod/warnings/amounts.ts';

const ANNOTATIONS = fieldPath('metadata', 'annotations');
const SPEC = fieldPath('spec');
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const OPTIONS_ANNOTATION = 'volume.beta.kubernetes.io/mount-options';
const USE_CLASS = 'deprecated since v1.8; use "storageClassName" attribute instead';
const USE_OPTIONS = 'deprecated since v1.31; use "mountOptions" attribute instead';
const RECYCLE =
  'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';

/** Sources that were given up, and what upstream says of each. */
const DEPRECATED: readonly (readonly [source: keyof PersistentVolumeSpec, shownAs: string, deprecation: string])[] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

/** Of a volume, new or changed. */
export function persistentVolumeWarnings({ metadata, spec }: PersistentVolume): readonly string[] {
  const warnings = new Warnings();
  warnOfAnnotation(metadata, { annotation: CLASS_ANNOTATION, deprecation: USE_CLASS, warnings });
  warnOfAnnotation(metadata, { annotation: OPTIONS_ANNOTATION, deprecation: USE_OPTIONS, warnings });
  if (!spec) return warnings.texts;
  if (spec.persistentVolumeReclaimPolicy === 'Recycle') {
    warnings.add(SPEC.child('persistentVolumeReclaimPolicy'), RECYCLE);
  }
  const terms = SPEC.child('nodeAffinity').child('required').child('nodeSelectorTerms');
  for (const [at, term] of (spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).entries()) {
    warnOfRequirements(term.matchExpressions, terms.index(at).child('matchExpressions'), warnings);
  }
  for (const [source, shownAs, deprecation] of DEPRECATED) {
    if (spec[source]) warnings.add(SPEC.child(shownAs), deprecation);
  }
  return warnings.texts;
}

/** Of a claim, new or changed. */
export function persistentVolumeClaimWarnings({ metadata, spec }: PersistentVolumeClaim): readonly string[] {
  const warnings = new Warnings();
  warnOfAnnotation(metadata, { annotation: CLASS_ANNOTATION, deprecation: USE_CLASS, warnings });
  warnOfClaimSpec(spec, SPEC, warnings);
  return warnings.texts;
}

/** Of what a claim, or a template for claims, asks for. */
export function warnOfClaimSpec(
  spec: PersistentVolumeClaimSpec | undefined,
  path: FieldPath,
  warnings: Warnings,
): void {
  for (const list of ['requests', 'limits'] as const) {
    const here = path.child('resources').child(list);
    warnOfFractions(spec?.resources?.[list], { resources: ['storage'], path: here, warnings });
  }
}

function warnOfAnnotation(
  { annotations }: PersistentVolume['metadata'],
  told: { readonly annotation: string; readonly deprecation: string; readonly warnings: Warnings },
): void {
  if (!annotations || !Object.hasOwn(annotations, told.annotation)) return;
  told.warnings.add(ANNOTATIONS.key(told.annotation), told.deprecation);
}
