import { CatalogueError } from '@binnacle/base';

interface ErrorDetails {
  readonly code?: string;
  readonly facts?: { readonly [name: string]: unknown };
  readonly cause?: unknown;
}

/** The runtime refused or failed. Base of every error that a driver throws; `code` tells the sort. */
export class RuntimeError extends CatalogueError {
  constructor(message: string, details: ErrorDetails = {}) {
    super(details.code ?? 'runtime', message, {
      ...(details.facts === undefined ? {} : { facts: details.facts }),
      ...(details.cause === undefined ? {} : { cause: details.cause }),
    });
  }
}

/** There is no such sandbox, container or image. */
export class RuntimeNotFoundError extends RuntimeError {
  constructor(what: 'sandbox' | 'container' | 'image' | 'object', id: string, cause?: unknown) {
    super(`${what} "${id}" not found`, { code: 'runtime-not-found', facts: { what, id }, cause });
  }
}

/** The name or id is taken: a sandbox or container with the same metadata exists. */
export class RuntimeConflictError extends RuntimeError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'runtime-conflict', cause });
  }
}

/** An image could not be fetched. `reason` is what a pod's waiting state shows. */
export class ImagePullError extends RuntimeError {
  readonly reason: 'ErrImagePull' | 'RegistryUnavailable' | 'InvalidImageName';

  constructor(
    image: string,
    message: string,
    options: { readonly reason?: ImagePullError['reason']; readonly cause?: unknown } = {},
  ) {
    super(message, { code: 'image-pull', facts: { image }, cause: options.cause });
    this.reason = options.reason ?? 'ErrImagePull';
  }
}

/** The runtime cannot be reached, or went away during the call. */
export class RuntimeUnavailableError extends RuntimeError {
  constructor(endpoint: string, cause?: unknown) {
    super(`container runtime at ${endpoint} is not available`, {
      code: 'runtime-unavailable',
      facts: { endpoint },
      cause,
    });
  }
}

/** A command in a container did not end in its time. */
export class ExecTimeoutError extends RuntimeError {
  constructor(command: readonly string[], timeoutMs: number, cause?: unknown) {
    super(`command timed out after ${timeoutMs} ms: ${command.join(' ')}`, {
      code: 'exec-timeout',
      facts: { command, timeoutMs },
      cause,
    });
  }
}
