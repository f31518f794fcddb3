import { schemas } from '@binnacle/api';
import type { PodTemplateSpec } from '@binnacle/api/core/v1';
import { deepEqual, keptEmpties } from '@binnacle/machinery';

const kept = keptEmpties(schemas, 'core.v1.PodTemplateSpec');

/**
 * Whether two templates are the same, as they rest: what was stored before empty lists were forgotten still has them,
 * and must not be rolled out anew because its owner has not.
 */
export function restsTheSame(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  if (deepEqual(a, b)) return true;
  return a !== undefined && b !== undefined && deepEqual(kept(a), kept(b));
}
