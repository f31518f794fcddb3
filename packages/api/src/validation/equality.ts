import { createComparison } from '@binnacle/machinery';
import { schemas } from '../schemas.ts';

const comparison = createComparison(schemas);

/**
 * Equal as upstream's semantic comparison has it. `place` says what is compared: a struct of the schema table
 * (`core.v1.PodSpec`), or a member of one, which may be behind a pointer (`core.v1.PodSpec.affinity`).
 */
export function isSemanticallyEqual(place: string, a: unknown, b: unknown): boolean {
  return comparison.areEqual(place, a, b);
}

/** Where two values differ, one line per place: what was (`-`) and what came (`+`). */
export function describeDifference(place: string, before: unknown, after: unknown): string {
  return comparison.describe(place, before, after);
}
