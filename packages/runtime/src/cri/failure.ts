import { RuntimeConflictError, RuntimeError, RuntimeNotFoundError, RuntimeUnavailableError } from '../errors.ts';
import { failureOf } from './channel.ts';

/** gRPC's status numbers that mean something here. */
export const GRPC = {
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
} as const;

/** What a call was about. */
export interface Subject {
  readonly what: 'sandbox' | 'container' | 'image' | 'object';
  readonly id: string;
}

/** The catalogue's error for what a call threw. */
export function toRuntimeError(thrown: unknown, endpoint: string, subject: Subject): RuntimeError {
  const { status, details, error } = failureOf(thrown);
  switch (status) {
    case GRPC.NOT_FOUND:
      return new RuntimeNotFoundError(subject.what, subject.id, error);
    case GRPC.ALREADY_EXISTS:
      return new RuntimeConflictError(details, error);
    case GRPC.UNAVAILABLE:
      return new RuntimeUnavailableError(endpoint, error);
    case GRPC.DEADLINE_EXCEEDED:
      return new RuntimeError(details, { code: 'runtime-timeout', facts: { ...subject }, cause: error });
    default:
      // containerd reports a taken name as UNKNOWN, by its text only.
      return / is reserved for /.test(details)
        ? new RuntimeConflictError(details, error)
        : new RuntimeError(details, { facts: { ...subject, status }, cause: error });
  }
}
