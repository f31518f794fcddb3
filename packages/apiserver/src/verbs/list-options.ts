import { FieldError, status } from '@binnacle/machinery';
import type { Call } from '../catalogue/definition.ts';
import { decodeToken } from './continue-token.ts';
import { parseRevision } from './get.ts';

export interface ListOptions {
  /** 0: all. */
  readonly limit: number;
  readonly continue: string;
  /** '' = most recent, 0 = any. */
  readonly resourceVersion: '' | number;
  readonly match: '' | 'Exact' | 'NotOlderThan';
}

/** Reads and checks the paging parameters of a list. */
export function listOptions({ query }: Call): ListOptions {
  const version = query.get('resourceVersion');
  const match = query.get('resourceVersionMatch');
  const token = query.get('continue');
  const problem = matchProblem({ version, match, token }) ?? initialEventsProblem(query.has('sendInitialEvents'));
  if (problem !== undefined) throw status.invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [problem]);
  if (token !== '' && version !== '' && version !== '0') {
    decodeToken(token);
    throw status.badRequest('specifying resource version is not allowed when using continue');
  }
  return {
    // A limit below 1 is none.
    limit: version === '0' && token === '' ? 0 : Math.max(0, query.integer('limit') ?? 0),
    continue: token,
    resourceVersion: version === '' ? '' : parseRevision(version),
    match: match as ListOptions['match'],
  };
}

function matchProblem(at: { version: string; match: string; token: string }): FieldError | undefined {
  if (at.match === '') return undefined;
  const forbidden = (detail: string): FieldError =>
    new FieldError('FieldValueForbidden', 'resourceVersionMatch', '', detail);
  if (at.version === '') return forbidden('resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (at.token !== '') return forbidden('resourceVersionMatch is forbidden when continue is provided');
  if (at.match !== 'Exact' && at.match !== 'NotOlderThan') {
    return new FieldError(
      'FieldValueNotSupported',
      'resourceVersionMatch',
      at.match,
      'supported values: "Exact", "NotOlderThan", ""',
    );
  }
  if (at.match === 'Exact' && at.version === '0') {
    return forbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  return undefined;
}

function initialEventsProblem(asked: boolean): FieldError | undefined {
  if (!asked) return undefined;
  return new FieldError('FieldValueForbidden', 'sendInitialEvents', '', 'sendInitialEvents is forbidden for list');
}
