import { FieldError, status } from '@binnacle/machinery';
import type { StatusError } from '@binnacle/machinery';
import type { Call } from '../catalogue/definition.ts';
import { decodeToken } from './continue-token.ts';
import { parseRevision } from './revision.ts';

export interface ListOptions {
  /** 0: all. */
  readonly limit: number;
  readonly continue: string;
  /** '' = most recent, 0 = any. */
  readonly resourceVersion: '' | number;
  readonly match: '' | 'Exact' | 'NotOlderThan';
}

/** The parameter that says how a revision is meant. */
export const MATCH = 'resourceVersionMatch';
export const NO_MATCH_BESIDE_TOKEN = 'resourceVersionMatch is forbidden when continue is provided';

/** Reads and checks the paging parameters of a list. */
export function listOptions({ query }: Pick<Call, 'query'>): ListOptions {
  const version = query.get('resourceVersion');
  const match = query.get(MATCH);
  const token = query.get('continue');
  const problems = problemsOf({ version, match, token }, query.has('sendInitialEvents'));
  if (problems.length > 0) throw status.invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', problems);
  if (token !== '' && version !== '' && version !== '0') {
    decodeToken(token);
    throw status.badRequest('specifying resource version is not allowed when using continue');
  }
  // It bounds a watch; of a list it only has to be a number.
  query.integer('timeoutSeconds');
  return {
    // A limit below 1 is none.
    limit: version === '0' && token === '' ? 0 : Math.max(0, query.integer('limit') ?? 0),
    continue: token,
    resourceVersion: version === '' ? '' : parseRevision(version, refuseList),
    match: match as ListOptions['match'],
  };
}

/** Upstream checks the revision of a list once more than that of a watch, and says so. */
function refuseList(words: string): StatusError {
  return status.badRequest(`invalid resource version: ${words}`);
}

function problemsOf({ version, match, token }: Asked, asksInitialEvents: boolean): FieldError[] {
  const problems = match === '' ? [] : matchProblems({ version, match, token });
  if (!asksInitialEvents) return problems;
  return [
    ...problems,
    new FieldError('FieldValueForbidden', 'sendInitialEvents', '', 'sendInitialEvents is forbidden for list'),
  ];
}

interface Asked {
  readonly version: string;
  readonly match: string;
  readonly token: string;
}

function matchProblems({ version, match, token }: Asked): FieldError[] {
  const problems: FieldError[] = [];
  const forbid = (detail: string): void => void problems.push(new FieldError('FieldValueForbidden', MATCH, '', detail));
  if (version === '') forbid('resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (token !== '') forbid(NO_MATCH_BESIDE_TOKEN);
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    const detail = 'supported values: "Exact", "NotOlderThan", ""';
    problems.push(new FieldError('FieldValueNotSupported', MATCH, match, detail));
  }
  if (match === 'Exact' && version === '0') {
    forbid('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  return problems;
}
