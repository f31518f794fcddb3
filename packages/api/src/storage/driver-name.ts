import { names } from '@binnacle/machinery';
import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';

const NAME_BYTES_MAX = 63;

/** The name of a CSI driver: a domain in any case, and short. */
export function validateDriverName(name: string | undefined, path: FieldPath, report: Report): void {
  if (!name) return report.required(path);
  if (name.length > NAME_BYTES_MAX) report.tooLong(path, NAME_BYTES_MAX);
  report.invalidEach(path, name, names.subdomainErrors(name.toLowerCase()));
  return undefined;
}
