import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { ConfigMap } from '../../generated/core-v1.ts';
import { isSemanticallyEqual } from '../../validation/equality.ts';
import { FieldPath, fieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { base64Bytes } from '../secret/base64.ts';
import { DATA_BYTES_MAX, FROZEN } from '../secret/validation.ts';

export function validateConfigMap(map: ConfigMap): FieldError[] {
  const report = new Report();
  validateConfigMapItself(map, report);
  return report.errors;
}

export function validateConfigMapUpdate(map: ConfigMap, before: ConfigMap): FieldError[] {
  const report = new Report();
  if (before.immutable) {
    if (!map.immutable) report.forbidden(fieldPath('immutable'), FROZEN);
    for (const list of ['data', 'binaryData'] as const) {
      const isSame = isSemanticallyEqual(`core.v1.ConfigMap.${list}`, map[list], before[list]);
      if (!isSame) report.forbidden(fieldPath(list), FROZEN);
    }
  }
  validateConfigMapItself(map, report);
  return report.errors;
}

function validateConfigMapItself(map: ConfigMap, report: Report): void {
  const { data = {}, binaryData = {} } = map;
  let size = 0;
  for (const key in data) {
    validateKey(key, fieldPath('data'), report);
    if (Object.hasOwn(binaryData, key)) {
      report.invalid(fieldPath('data').key(key), key, 'duplicate of key present in binaryData');
    }
    size += names.byteLength(data[key] ?? '');
  }
  for (const key in binaryData) {
    validateKey(key, fieldPath('binaryData'), report);
    size += base64Bytes(binaryData[key] ?? '');
  }
  // Upstream's path of the object itself.
  if (size > DATA_BYTES_MAX) report.tooLong(new FieldPath('[]'), DATA_BYTES_MAX);
}

function validateKey(key: string, path: FieldPath, report: Report): void {
  const errors = names.configKeyErrors(key);
  if (errors.length > 0) report.invalidEach(path.key(key), key, errors);
}
