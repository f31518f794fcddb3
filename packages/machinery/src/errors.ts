import { CatalogueError } from '@binnacle/base';

/** A text that is no quantity; the message is what clients know. */
export class QuantityError extends CatalogueError {
  constructor(text: string, message: string) {
    super('quantity', message, { facts: { text } });
  }
}

/** Input that is no JSON, or JSON of the wrong shape; the message is the one that Go's decoder gives. */
export class DecodeError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('decode', message, { cause });
  }
}

/** A selector that cannot be read. */
export class SelectorError extends CatalogueError {
  constructor(message: string) {
    super('selector', message);
  }
}
