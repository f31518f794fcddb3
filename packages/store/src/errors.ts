import { CatalogueError } from '@binnacle/base';

/** The revision asked for is compacted away. `compactRevision` is the oldest that can still be read. */
export class CompactedError extends CatalogueError {
  readonly compactRevision: number;

  constructor(compactRevision: number, cause?: unknown) {
    super('store-compacted', 'the required revision has been compacted', { facts: { compactRevision }, cause });
    this.compactRevision = compactRevision;
  }
}

/** The revision asked for has not happened yet. */
export class FutureRevisionError extends CatalogueError {
  constructor(facts: { readonly asked: number; readonly revision?: number }, cause?: unknown) {
    super('store-future-revision', 'the required revision is a future revision', { facts, cause });
  }
}

/** No such lease: never granted, revoked, or expired. */
export class LeaseNotFoundError extends CatalogueError {
  constructor(lease: number, cause?: unknown) {
    super('store-lease-not-found', `lease ${lease} was not found`, { facts: { lease }, cause });
  }
}

/** The lease id asked for is taken. */
export class LeaseExistsError extends CatalogueError {
  constructor(lease: number, cause?: unknown) {
    super('store-lease-exists', `lease ${lease} exists already`, { facts: { lease }, cause });
  }
}

/** One transaction writes a key twice. */
export class DuplicateKeyError extends CatalogueError {
  constructor(key: string, cause?: unknown) {
    super('store-duplicate-key', `the transaction writes key ${JSON.stringify(key)} twice`, { facts: { key }, cause });
  }
}

/** `close` was called; nothing was done. */
export class StoreClosedError extends CatalogueError {
  constructor() {
    super('store-closed', 'the store is closed');
  }
}

/** The transaction is larger than the store takes: etcd's words and etcd's limit. Nothing was done. */
export class RequestTooLargeError extends CatalogueError {
  constructor(sizes: { readonly bytes?: number; readonly bytesMax?: number }, cause?: unknown) {
    super('store-request-too-large', 'etcdserver: request is too large', { facts: sizes, cause });
  }
}

/** What is kept under the key is not what was written: it fails its checksum. Other keys are not touched by it. */
export class DamagedValueError extends CatalogueError {
  readonly key: string;

  constructor(key: string, cause?: unknown) {
    super('store-damaged-value', `the value stored under ${JSON.stringify(key)} is damaged: it fails its checksum`, {
      facts: { key },
      cause,
    });
    this.key = key;
  }
}

/** What is there is less than what was acknowledged: a file is missing, or is an older one. Nothing was changed. */
export class StoreCutBackError extends CatalogueError {
  readonly why: string;

  constructor(why: string, facts: { readonly [name: string]: unknown }) {
    super('store-cut-back', `the store has lost data: ${why}`, { facts });
    this.why = why;
  }
}

/**
 * The store cannot serve now: disk full, input/output error, file held by somebody else, too much waiting, or no
 * connection. For a write `outcomeUnknown` says whether it may have happened all the same.
 */
export class StoreUnavailableError extends CatalogueError {
  readonly outcomeUnknown: boolean;

  constructor(
    why: string,
    options: { readonly outcomeUnknown?: boolean; readonly cause?: unknown; readonly code?: string } = {},
  ) {
    const outcomeUnknown = options.outcomeUnknown ?? false;
    super(options.code ?? 'store-unavailable', `the store is unavailable: ${why}`, {
      facts: { outcomeUnknown },
      cause: options.cause,
    });
    this.outcomeUnknown = outcomeUnknown;
  }
}

/**
 * There is no room to write: the disk is full, or a quota is used up (etcd's NOSPACE). Nothing of the request was
 * done, reading goes on, and writing does too as soon as there is room again.
 */
export class StoreFullError extends StoreUnavailableError {
  constructor(why: string, cause?: unknown) {
    super(why, { code: 'store-full', cause });
  }
}

/** The caller's deadline came before the answer; a write may happen all the same. */
export class StoreTimeoutError extends StoreUnavailableError {
  constructor(why: string, options: { readonly outcomeUnknown?: boolean; readonly cause?: unknown } = {}) {
    super(why, { ...options, code: 'store-timeout' });
  }
}
