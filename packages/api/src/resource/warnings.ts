import type { ResourceSlice } from '../generated/resource-v1.ts';

/** Of a slice whose driver is not written in lower case. */
export function resourceSliceWarnings({ spec }: ResourceSlice): readonly string[] {
  if (spec.driver === spec.driver.toLowerCase()) return [];
  const driver = JSON.stringify(spec.driver);
  return [`spec.driver: driver names should be lowercase; ${driver} contains uppercase characters`];
}
