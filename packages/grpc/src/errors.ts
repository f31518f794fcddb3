import { CatalogueError } from '@binnacle/base';

/** A stream or a server of gRPC is not what it has to be. */
export class GrpcError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('grpc', message, { cause });
  }
}

/** What a served method answers in place of a response: gRPC's number and words for the caller. */
export class GrpcRefusal extends CatalogueError {
  readonly status: number;

  constructor(status: number, message: string) {
    super('grpc-refusal', message, { facts: { status } });
    this.status = status;
  }
}
