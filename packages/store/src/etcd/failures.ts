import type { ServiceError } from '@grpc/grpc-js';
import { CatalogueError } from '@binnacle/base';
import {
  CompactedError,
  DuplicateKeyError,
  FutureRevisionError,
  LeaseExistsError,
  LeaseNotFoundError,
  RequestTooLargeError,
  StoreFullError,
  StoreTimeoutError,
  StoreUnavailableError,
} from '../errors.ts';

/** What the failed call was about. */
export interface CallFacts {
  readonly reads: boolean;
  readonly lease?: number;
  readonly revision?: number;
}

const UNAVAILABLE = 14;
const DEADLINE_EXCEEDED = 4;
const CANCELLED = 1;

/** etcd tells its failures by these texts; they are part of its protocol. */
const TEXTS: readonly { readonly text: string; readonly make: (facts: CallFacts, cause: unknown) => CatalogueError }[] =
  [
    { text: 'required revision has been compacted', make: (_, cause) => new CompactedError(0, cause) },
    {
      text: 'required revision is a future revision',
      make: (facts, cause) => new FutureRevisionError({ asked: facts.revision ?? 0 }, cause),
    },
    { text: 'requested lease not found', make: (facts, cause) => new LeaseNotFoundError(facts.lease ?? 0, cause) },
    { text: 'lease already exists', make: (facts, cause) => new LeaseExistsError(facts.lease ?? 0, cause) },
    { text: 'database space exceeded', make: (_, cause) => new StoreFullError(`etcd: ${textOf(cause)}`, cause) },
    { text: 'request is too large', make: (_, cause) => new RequestTooLargeError({}, cause) },
    { text: 'received message larger than max', make: (_, cause) => new RequestTooLargeError({}, cause) },
    { text: 'duplicate key given in txn request', make: (_, cause) => new DuplicateKeyError('', cause) },
  ];

/** A failed call as an error of the room. */
export function toStoreError(error: unknown, facts: CallFacts): CatalogueError {
  if (error instanceof CatalogueError) return error;
  const failure = error as Partial<ServiceError>;
  const details = textOf(error);
  const known = TEXTS.find(({ text }) => details.includes(text));
  if (known !== undefined) return known.make(facts, error);
  // etcd's own deadline, and the caller's.
  if (details.includes('etcdserver: request timed out') || isTimeout(failure)) {
    return new StoreTimeoutError(`etcd: ${details}`, { outcomeUnknown: !facts.reads, cause: error });
  }
  const vague = failure.code === UNAVAILABLE || failure.code === CANCELLED;
  const outcomeUnknown = !facts.reads && vague && !isSurelyNotSent(failure);
  return new StoreUnavailableError(`etcd: ${details}`, { outcomeUnknown, cause: error });
}

function textOf(error: unknown): string {
  return (error as Partial<ServiceError>).details ?? String(error);
}

/** The deadline came before the answer. */
export function isTimeout(failure: Partial<ServiceError>): boolean {
  return failure.code === DEADLINE_EXCEEDED;
}

export function isUnavailable(failure: Partial<ServiceError>): boolean {
  return failure.code === UNAVAILABLE;
}

/** There never was a connection to send it on. */
export function isSurelyNotSent(failure: Partial<ServiceError>): boolean {
  return (
    failure.code === UNAVAILABLE && /^(No connection established|Name resolution failed)/.test(failure.details ?? '')
  );
}
