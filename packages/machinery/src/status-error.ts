import { boundedText } from './bounded-text.ts';
import { CatalogueError } from '@binnacle/base';
import type { Status, StatusCause } from './generated/meta-v1.ts';
import { resourceName } from './object.ts';
import type { GroupResource } from './object.ts';
import { safeInHtml } from './safe-in-html.ts';

/** A failure that travels as `metav1.Status`; the HTTP code is part of it. */
export class StatusError extends CatalogueError {
  readonly status: Status;

  constructor(status: Status, cause?: unknown) {
    super(status.reason ?? 'Unknown', status.message ?? '', { cause });
    this.status = status;
  }

  get httpCode(): number {
    return this.status.code ?? 500;
  }
}

/** The HTTP code of each reason: the one table of it. */
const CODES = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  Gone: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  Unknown: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;

/** Characters of a message, and of a value in one. */
const MESSAGE_MAX = 65_536;
const VALUE_MAX = 8192;

function failure(reason: keyof typeof CODES, message: string, details?: Status['details']): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: boundedText(message, MESSAGE_MAX),
    // Whoever has no reason says none: clients show it where there is one.
    ...(reason === 'Unknown' ? {} : { reason }),
    ...(details ? { details } : {}),
    code: CODES[reason],
  } as Status);
}

function of(gr: GroupResource, name: string): NonNullable<Status['details']> {
  return {
    ...(name === '' ? {} : { name }),
    ...(gr.group === '' ? {} : { group: gr.group }),
    ...(gr.resource === '' ? {} : { kind: gr.resource }),
  };
}

// One constructor per failure of the API, one question per failure below (see isNotFound and its like).

export function notFound(gr: GroupResource, name: string): StatusError {
  return failure('NotFound', `${resourceName(gr)} "${name}" not found`, of(gr, name));
}

/** `isGenerated`: the name was made up of a base. `isLeaving`: who has it is being deleted. */
export function alreadyExists(
  gr: GroupResource,
  name: string,
  { isGenerated = false, isLeaving = false }: { readonly isGenerated?: boolean; readonly isLeaving?: boolean } = {},
): StatusError {
  const taken = `${isLeaving ? 'object is being deleted: ' : ''}${resourceName(gr)} "${name}" already exists`;
  if (!isGenerated) return failure('AlreadyExists', taken, of(gr, name));
  const why = `${taken}, the server was not able to generate a unique name for the object`;
  return failure('AlreadyExists', why, { ...of(gr, name), retryAfterSeconds: 1 });
}

export function conflict(gr: GroupResource, name: string, why: string): StatusError {
  return failure('Conflict', `Operation cannot be fulfilled on ${resourceName(gr)} "${name}": ${why}`, of(gr, name));
}

export function badRequest(message: string): StatusError {
  return failure('BadRequest', message);
}

export function unauthorized(message = 'Unauthorized'): StatusError {
  return failure('Unauthorized', message);
}

/** `why` follows the name: `User "x" cannot get resource "pods" in API group "" in the namespace "default"`. */
export function forbidden(gr: GroupResource, name: string, why: string): StatusError {
  const what = gr.resource === '' ? '' : name === '' ? `${resourceName(gr)} is ` : `${resourceName(gr)} "${name}" is `;
  return failure('Forbidden', `${what}forbidden: ${why}`, of(gr, name));
}

export function methodNotSupported(gr: GroupResource, verb: string): StatusError {
  return failure('MethodNotAllowed', `${verb} is not supported on resources of kind "${resourceName(gr)}"`, of(gr, ''));
}

/** `kind` is the kind's name with its group (`Pod`, `Deployment.apps`). */
export function invalid(gk: { group: string; kind: string }, name: string, errors: readonly FieldError[]): StatusError {
  const kind = gk.group === '' ? gk.kind : `${gk.kind}.${gk.group}`;
  const { texts, causes } = told(errors);
  const text = texts.length === 0 ? '' : `: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`;
  return failure('Invalid', `${kind} "${name}" is invalid${text}`, {
    ...(name === '' ? {} : { name }),
    ...(gk.group === '' ? {} : { group: gk.group }),
    ...(gk.kind === '' ? {} : { kind: gk.kind }),
    causes,
  });
}

/** A reply tells so many causes, and so many characters of them; what is left is counted. */
const CAUSES_MAX = 1000;
const TOLD_CHARACTERS_MAX = 128 * 1024;

function told(errors: readonly FieldError[]): { readonly texts: readonly string[]; readonly causes: StatusCause[] } {
  const texts = new Set<string>();
  const causes: StatusCause[] = [];
  let characters = 0;
  for (const error of errors) {
    if (causes.length === CAUSES_MAX || characters > TOLD_CHARACTERS_MAX) break;
    const text = error.toString();
    texts.add(text);
    characters += text.length;
    causes.push(error.cause());
  }
  const untold = errors.length - causes.length;
  if (untold > 0) {
    const message = `and ${untold} more`;
    texts.add(message);
    causes.push({ message });
  }
  return { texts: [...texts], causes };
}

/**
 * A patch that does not apply. Upstream tells clients no more than this text; `why` stays on the error as its cause.
 */
export function unprocessable(why: string): StatusError {
  const status = failure('Invalid', 'the server rejected our request due to an error in our request', {}).status;
  return new StatusError(status, why);
}

/** What a request was refused for, in more words than its answer has where the answer's are no help (`unprocessable`). */
export function whyRefused(error: StatusError): string {
  return typeof error.cause === 'string' ? error.cause : error.message;
}

/** An error without a reason of its own: upstream answers 500 with the bare text. */
export function internalFailure(message: string): StatusError {
  return failure('Unknown', message);
}

/** The history that was asked for is compacted away. */
export function expired(message: string): StatusError {
  return failure('Expired', message);
}

export function gone(message: string): StatusError {
  return failure('Gone', message);
}

export function internalError(message: string): StatusError {
  return failure('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

export function timeout(message: string, retryAfterSeconds: number): StatusError {
  return failure('Timeout', `Timeout: ${message}`, { retryAfterSeconds });
}

/** Without `retryAfterSeconds` clients do not try again by themselves. */
export function tooManyRequests(message: string, retryAfterSeconds?: number): StatusError {
  return failure('TooManyRequests', message, retryAfterSeconds === undefined ? undefined : { retryAfterSeconds });
}

export function serviceUnavailable(message: string): StatusError {
  return failure('ServiceUnavailable', message);
}

export function requestEntityTooLarge(message: string): StatusError {
  return failure('RequestEntityTooLarge', `Request entity too large: ${message}`);
}

export function unsupportedMediaType(message: string): StatusError {
  return failure('UnsupportedMediaType', message);
}

export function notAcceptable(message: string): StatusError {
  return failure('NotAcceptable', message);
}

/** Reads a failure Status that came over a wire. */
export function fromStatus(status: Status): StatusError {
  return new StatusError(status);
}

function has(reason: string): (error: unknown) => error is StatusError {
  return (error): error is StatusError => error instanceof StatusError && error.status.reason === reason;
}

export const isNotFound: (error: unknown) => error is StatusError = has('NotFound');
export const isAlreadyExists: (error: unknown) => error is StatusError = has('AlreadyExists');
export const isConflict: (error: unknown) => error is StatusError = has('Conflict');
export const isForbidden: (error: unknown) => error is StatusError = has('Forbidden');
export const isInvalid: (error: unknown) => error is StatusError = has('Invalid');

/** The resource version is too old: relist. */
export function isExpired(error: unknown): error is StatusError {
  return error instanceof StatusError && error.httpCode === 410;
}

/** The reason of a StatusCause. */
export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTooShort'
  | 'InternalError'
  | 'FieldValueTypeInvalid';

const TYPE_TEXT: Record<FieldErrorType, string> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTooFew: 'Too few',
  FieldValueTooShort: 'Too short',
  InternalError: 'Internal error',
  FieldValueTypeInvalid: 'Invalid value',
};

const WITHOUT_VALUE: ReadonlySet<FieldErrorType> = new Set([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'FieldValueTooShort',
  'InternalError',
]);

type FieldErrorParts = [type: FieldErrorType, field: string, value: unknown, detail: string];

/** As the value of a FieldError: the text shows none. */
export const OMITTED_VALUE: unique symbol = Symbol('omitted');

/** One thing wrong with one field; its text is what clients of Kubernetes know. */
export class FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly value: unknown;
  readonly detail: string;

  /** `field.*` makes these with upstream's words for the detail. */
  constructor(...[type, field, value, detail]: FieldErrorParts) {
    this.type = type;
    this.field = field;
    this.value = value;
    this.detail = detail;
  }

  /** The text without the field's path. */
  body(): string {
    const head = TYPE_TEXT[this.type];
    const isBare = WITHOUT_VALUE.has(this.type) || this.value === OMITTED_VALUE;
    const value = isBare ? '' : `: ${showValue(this.value)}`;
    return `${head}${value}${this.detail === '' ? '' : `: ${boundedText(this.detail, VALUE_MAX)}`}`;
  }

  toString(): string {
    return `${this.field}: ${this.body()}`;
  }

  cause(): StatusCause {
    return { reason: this.type, message: this.body(), field: this.field };
  }
}

/** Text quoted, anything else as Go writes JSON: with the marks of HTML escaped. */
function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(boundedText(value, VALUE_MAX));
  return safeInHtml(boundedText(JSON.stringify(value ?? null), VALUE_MAX));
}
