import { names } from '@binnacle/machinery';
import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';

const COUNT_MAX = 512;
const BYTES_MAX = 256 * 1024;

/** What a class hands to its driver: few enough, small enough, and every one with a name. */
export function validateParameters(
  parameters: { readonly [name: string]: string } | undefined,
  path: FieldPath,
  report: Report,
): void {
  const entries = Object.entries(parameters ?? {});
  if (entries.length > COUNT_MAX) return report.tooLong(path, COUNT_MAX);
  let bytes = 0;
  for (const [name, value] of entries) {
    if (name === '') report.invalid(path, name, 'field can not be empty.');
    bytes += names.byteLength(name) + names.byteLength(value);
  }
  if (bytes > BYTES_MAX) report.tooLong(path, BYTES_MAX);
  return undefined;
}
