import { CatalogueError } from '@binnacle/base';

/** gRPC's words for its numbers, as Go programs print them. */
const WORDS = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const;

/** A plugin refused, or could not be reached; the message is upstream's: `rpc error: code = Internal desc = …`. */
export class PluginError extends CatalogueError {
  /** gRPC's number. */
  readonly status: number;

  constructor(status: number, details: string, cause?: unknown) {
    super('plugin', `rpc error: code = ${WORDS[status] ?? `Code(${status})`} desc = ${details}`, {
      facts: { status },
      cause,
    });
    this.status = status;
  }
}

/** A plugin is not taken: it is of no known kind, or not what its kind has to be. */
export class PluginRefusal extends CatalogueError {
  constructor(message: string) {
    super('plugin-refusal', message);
  }
}
