/**
 * The base of every expected failure: a stable code, facts as fields, the cause kept.
 * Rooms extend it in their `errors.ts`; nobody compares messages.
 */
export class CatalogueError extends Error {
  readonly code: string;
  readonly facts: { readonly [name: string]: unknown };

  constructor(
    code: string,
    message: string,
    options: { facts?: { readonly [name: string]: unknown }; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.facts = options.facts ?? {};
  }
}

/** Our own bug: stops the component loudly. */
export class AssertionError extends CatalogueError {
  constructor(message: string, facts: { readonly [name: string]: unknown } = {}) {
    super('assertion', message, { facts });
  }
}

/** The work was called off. */
export class AbortedError extends CatalogueError {
  constructor(what: string, cause?: unknown) {
    super('aborted', `${what} was aborted`, { cause });
  }
}

/** Throws AssertionError, with the facts, unless the condition holds: for what only our own bug can break. */
export function assert(
  condition: unknown,
  message: string,
  facts?: { readonly [name: string]: unknown },
): asserts condition {
  if (condition !== true && !condition) throw new AssertionError(message, facts);
}

/** Ends an exhaustive switch: the compiler proves that it is never reached. */
export function unreachable(value: never): never {
  throw new AssertionError('unreachable', { value });
}

/** What was thrown, as text for a log line. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
