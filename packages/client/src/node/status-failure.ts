import { StatusError } from '@binnacle/machinery';
import type { Status } from '@binnacle/machinery';

/** A failure Status as such; anything else (a proxy's page) as a Status made of the code. */
export function statusFailure(reply: { readonly status: number; readonly text: string }, path: string): StatusError {
  try {
    const status = JSON.parse(reply.text) as Status;
    if (status.kind === 'Status') return new StatusError({ code: reply.status, ...status });
  } catch {
    // Not from the API: below.
    return anonymousFailure(reply, path);
  }
  return anonymousFailure(reply, path);
}

const REASONS: { readonly [code: number]: string } = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Gone',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function anonymousFailure(reply: { readonly status: number; readonly text: string }, path: string): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${path}: ${reply.text.slice(0, 1000)}`,
    reason: REASONS[reply.status] ?? 'InternalError',
    code: reply.status,
  });
}
