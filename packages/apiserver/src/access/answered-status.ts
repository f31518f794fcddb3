/** What a review was, so that its answer is told from anything else. */
export interface AskedReview {
  readonly kind: string;
  readonly apiVersion: string;
}

type Value = { readonly [field: string]: unknown };

/**
 * The status of the review that somebody answered with; undefined where the answer is something else, whatever its status
 * says. Who does not say what it is means what was asked, as for Go's clients.
 */
export function answeredStatus(answer: unknown, asked: AskedReview): Value | undefined {
  if (!isRecord(answer)) return undefined;
  const { kind = '', apiVersion = '', status } = answer;
  if (kind !== '' && kind !== asked.kind) return undefined;
  if (apiVersion !== '' && groupOf(apiVersion) !== groupOf(asked.apiVersion)) return undefined;
  return isRecord(status) ? status : {};
}

function groupOf(apiVersion: unknown): string | undefined {
  return typeof apiVersion === 'string' ? apiVersion.split('/', 1)[0] : undefined;
}

function isRecord(value: unknown): value is Value {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
