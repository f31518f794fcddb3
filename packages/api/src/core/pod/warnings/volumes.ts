import type { PodSpec, Volume } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Warnings } from '../../../validation/warnings.ts';
import { warnOfClaimSpec } from '../../persistent-volume/warnings.ts';
import { warnOfOverlaps } from './paths.ts';

/** Sources that were given up, and what upstream says of each. */
const DEPRECATED: readonly (readonly [source: keyof Volume, deprecation: string])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];
/** Where upstream's path is not the field's name. */
const SHOWN_AS: ReadonlyMap<keyof Volume, string> = new Map([['storageos', 'storageOS']]);

/** Of a pod's volumes; `path` is the spec's. */
export function warnOfVolumes({ volumes }: PodSpec, path: FieldPath, warnings: Warnings): void {
  for (const [at, volume] of (volumes ?? []).entries()) {
    const here = path.child('volumes').index(at);
    for (const [source, deprecation] of DEPRECATED) {
      if (volume[source]) warnings.add(here.child(SHOWN_AS.get(source) ?? source), deprecation);
    }
    const template = volume.ephemeral?.volumeClaimTemplate;
    if (template) {
      warnOfClaimSpec(template.spec, here.child('ephemeral').child('volumeClaimTemplate').child('spec'), warnings);
    }
  }
  for (const volume of volumes ?? []) warnOfOverlaps(volume, warnings);
}
