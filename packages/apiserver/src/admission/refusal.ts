import { StatusError, status } from '@binnacle/machinery';
import type { StatusCause } from '@binnacle/machinery';
import type { AdmissionAttributes } from '../ports/admission.ts';

/** The 403 of an admission plugin: `pods "x" is forbidden: …`; a new object may have only a generateName yet. */
export function refuse(attributes: AdmissionAttributes, why: string, causes?: readonly StatusCause[]): StatusError {
  const { info, name, object } = attributes;
  const shown = name || object?.metadata.name || object?.metadata.generateName || 'Unknown';
  const error = status.forbidden(info, shown, why);
  if (causes === undefined) return error;
  return new StatusError({ ...error.status, details: { ...error.status.details, causes } });
}
