import { StatusError } from '@binnacle/machinery';

/** The resource, or the subresource, is not there, in a group and version that are. */
export function noSuchResource(): StatusError {
  return generic(404, 'NotFound', 'the server could not find the requested resource');
}

export function methodNotAllowed(): StatusError {
  return generic(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
}

function generic(code: number, reason: string, message: string): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    details: {},
    code,
  });
}
