import { randomFloat } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import { FieldError, status } from '@binnacle/machinery';
import type { Call } from '../catalogue/definition.ts';
import type { Selection } from '../cache/selection.ts';
import type { Query } from '../request/query.ts';
import { MATCH, NO_MATCH_BESIDE_TOKEN } from './list-options.ts';
import { parseRevision } from './revision.ts';
import { selectionOf } from './selection.ts';

/** A watch that names no time ends after half an hour to an hour. */
const TIMEOUT_MIN_MS = 1_800_000;

/** What a watch asks for. */
export interface WatchPlan {
  readonly selection: Selection;
  /** Whether the present objects come first. */
  readonly snapshot: boolean;
  /** Whether they must be the most recent ones. */
  readonly fresh: boolean;
  /** Events after this revision; only without a snapshot. */
  readonly from: number;
  /** Whether the closing bookmark of the initial events was asked for. */
  readonly marksEnd: boolean;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
}

/** Reads the parameters of a watch that is asked for at revision `now`. Throws 400, 422 and 500 in upstream's words. */
export function planOf(call: Call, { now, random }: { readonly now: number; readonly random: Random }): WatchPlan {
  const { query } = call;
  const version = query.get('resourceVersion');
  const initial = query.has('sendInitialEvents');
  check(query);
  const seconds = query.integer('timeoutSeconds');
  const wants = query.bool('sendInitialEvents');
  const selection = selectionOf(call);
  // The store is the last to look, after everything that is looked at in the request itself.
  const revision = version === '' ? 0 : parseRevision(version);
  return {
    selection,
    snapshot: wants || (!initial && revision === 0),
    fresh: version === '',
    from: revision === 0 ? now : revision,
    marksEnd: wants,
    bookmarks: query.bool('allowWatchBookmarks'),
    timeoutMs: seconds !== undefined && seconds > 0 ? seconds * 1000 : TIMEOUT_MIN_MS * (1 + randomFloat(random)),
  };
}

function check(query: Query): void {
  const problems = problemsOf(query.has('sendInitialEvents'), query.get(MATCH), query.get('continue'));
  if (problems.length > 0) throw status.invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', problems);
}

function problemsOf(initial: boolean, match: string, token: string): FieldError[] {
  const problems: FieldError[] = [];
  const forbid = (detail: string): void => void problems.push(new FieldError('FieldValueForbidden', MATCH, '', detail));
  if (initial && match !== 'NotOlderThan') {
    forbid('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  }
  if (match === '') return problems;
  if (!initial) forbid('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
  if (match !== 'NotOlderThan') {
    problems.push(new FieldError('FieldValueNotSupported', MATCH, match, 'supported values: "NotOlderThan"'));
  }
  if (token !== '') forbid(NO_MATCH_BESIDE_TOKEN);
  return problems;
}
