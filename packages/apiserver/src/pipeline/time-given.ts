import { EvaluationError, readDuration } from '@binnacle/cel';
import { status } from '@binnacle/machinery';
import type { RequestInfo } from '../request/info.ts';
import type { Query } from '../request/query.ts';

/** Subresources whose body is a stream of its own, without an end that could be waited for. */
export const STREAMS: ReadonlySet<string> = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);
const NANOS_PER_MS = 1e6;

/**
 * What the caller gives the request, `timeout` as Go writes durations, in milliseconds; 0 where it says nothing, and
 * for what lasts as long as the client likes. Throws StatusError (400) for what is no duration.
 */
export function timeGiven({ verb, subresource }: Pick<RequestInfo, 'verb' | 'subresource'>, query: Query): number {
  if (query.isEmpty || verb === 'watch' || STREAMS.has(subresource)) return 0;
  const text = query.get('timeout');
  if (text === '') return 0;
  try {
    return Math.max(0, Number(readDuration(text).nanos) / NANOS_PER_MS);
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    throw status.badRequest(`invalid timeout specified in the request URL - ${error.message}`);
  }
}
