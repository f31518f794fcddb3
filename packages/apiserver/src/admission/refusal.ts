import { StatusError, status } from '@binnacle/machinery';
import type { KubeObject, StatusCause } from '@binnacle/machinery';
import type { AdmissionAttributes } from '../ports/admission.ts';

/** The 403 of an admission plugin: `pods "x" is forbidden: …`; a new object may have only a generateName yet. */
export function refuse(attributes: AdmissionAttributes, why: string, causes?: readonly StatusCause[]): StatusError {
  const { info, name, object } = attributes;
  const error = status.forbidden(info, name || nameOf(object), why);
  if (causes === undefined) return error;
  return new StatusError({ ...error.status, details: { ...error.status.details, causes } });
}

/** What a connection is asked with has no metadata; the name that stands for one cannot be that of an object. */
function nameOf(object: Partial<KubeObject> | undefined): string {
  if (object === undefined) return 'Unknown';
  if (object.metadata === undefined) return 'Unknown/errorGettingName';
  return object.metadata.name || object.metadata.generateName || 'Unknown';
}
