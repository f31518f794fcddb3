import { CatalogueError } from '@binnacle/base';

/** A selector of devices cannot be understood, or fails on a device: nobody can say what it would choose. */
export class SelectorError extends CatalogueError {
  constructor(message: string, cause?: unknown) {
    super('device-selector', message, { cause });
  }
}

/** A claim asks for what cannot be given, wherever; the message says what. */
export class ClaimError extends CatalogueError {
  constructor(message: string) {
    super('device-claim', message);
  }
}

/** A device of a claim will not be made ready for the pod's node. */
export class DeviceFailedError extends ClaimError {}

/** A device of a claim was not made ready in time. */
export class DeviceTimeoutError extends ClaimError {}

/** No more combinations of devices are tried. */
export class SearchLimitError extends CatalogueError {
  constructor() {
    super('device-search', 'timed out trying to allocate devices');
  }
}
