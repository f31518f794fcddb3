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

/**
 * The store cannot serve now: disk full, input/output error, file held by somebody else, too much waiting, or no
 * connection. For a write `outcomeUnknown` says whether it may have happened all the same.
 */
export class StoreUnavailableError extends CatalogueError {
  readonly outcomeUnknown: boolean;

  constructor(why: string, options: { readonly outcomeUnknown?: boolean; readonly cause?: unknown } = {}) {
    const outcomeUnknown = options.outcomeUnknown ?? false;
    super('store-unavailable', `the store is unavailable: ${why}`, { facts: { outcomeUnknown }, cause: options.cause });
    this.outcomeUnknown = outcomeUnknown;
  }
}
