import { STATUS, failureOf } from '@binnacle/grpc';
import { RuntimeConflictError, RuntimeError, RuntimeNotFoundError, RuntimeUnavailableError } from '../errors.ts';

/** What a call was about. */
export interface Subject {
  readonly what: 'sandbox' | 'container' | 'image' | 'object';
  readonly id: string;
}

/** The catalogue's error for what a call threw. */
export function toRuntimeError(thrown: unknown, endpoint: string, subject: Subject): RuntimeError {
  const { status, details, error } = failureOf(thrown);
  switch (status) {
    case STATUS.NOT_FOUND:
      return new RuntimeNotFoundError(subject.what, subject.id, error);
    case STATUS.ALREADY_EXISTS:
      return new RuntimeConflictError(details, error);
    case STATUS.UNAVAILABLE:
      return new RuntimeUnavailableError(endpoint, error);
    case STATUS.DEADLINE_EXCEEDED:
      return new RuntimeError(details, { code: 'runtime-timeout', facts: { ...subject }, cause: error });
    default:
      // containerd reports a taken name as UNKNOWN, by its text only.
      return / is reserved for /.test(details)
        ? new RuntimeConflictError(details, error)
        : new RuntimeError(details, { facts: { ...subject, status }, cause: error });
  }
}
