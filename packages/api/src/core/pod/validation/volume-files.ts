import type { DownwardAPIVolumeFile, KeyToPath } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import { validateFieldSelector, validateVolumeResourceSelector } from './env.ts';
import { validateFileMode, validateNonReservedPath } from './paths.ts';

/** Fields of a pod that files of its volumes may show. */
const VOLUME_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/** A key of a secret or config map as a file of a volume. */
export function validateKeyToPath(item: KeyToPath, path: FieldPath, report: Report): void {
  if (!item.key) report.required(path.child('key'));
  if (!item.path) report.required(path.child('path'));
  validateNonReservedPath(item.path, path.child('path'), report);
  validateFileMode(item.mode, path.child('mode'), report);
}

/** Upstream reports mistakes of files on the list as a whole. */
export function validateDownwardFile(file: DownwardAPIVolumeFile, path: FieldPath, report: Report): void {
  if (!file.path) report.required(path.child('path'));
  validateNonReservedPath(file.path, path.child('path'), report);
  if (file.fieldRef) {
    validateFieldSelector(file.fieldRef, path.child('fieldRef'), { report, supported: VOLUME_FIELDS });
    if (file.resourceFieldRef) {
      report.invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously');
    }
  } else if (file.resourceFieldRef) {
    validateVolumeResourceSelector(file.resourceFieldRef, path.child('resourceFieldRef'), report);
  } else report.required(path, 'one of fieldRef and resourceFieldRef is required');
  validateFileMode(file.mode, path.child('mode'), report);
}
