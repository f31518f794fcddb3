import type { Fence } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { ApiRequest } from './api-request.ts';

/** The header in which a leader over HTTP says in which term it writes: `namespace/lease;transitions;holder`. */
export const FENCE_HEADER = 'binnacle-fence';

const FORM = /^([a-z0-9.-]{1,253})\/([a-z0-9.-]{1,253});(\d{1,10});([\w.!~*'()%-]{1,1024})$/;

/** The term in which a request is made, if in any. Throws 400 for what is none: the caller relies on it. */
export function fenceOf(request: Pick<ApiRequest, 'fence' | 'header'>): Fence | undefined {
  if (request.fence !== undefined) return request.fence;
  const text = request.header(FENCE_HEADER);
  if (text === '') return undefined;
  const match = FORM.exec(text);
  const holder = match === null ? undefined : decoded(match[4] ?? '');
  if (match === null || holder === undefined) {
    throw status.badRequest(`the header ${FENCE_HEADER} has to be namespace/lease;transitions;holder`);
  }
  const [, namespace = '', lease = '', transitions = ''] = match;
  return { namespace, lease, holder, transitions: Number(transitions) };
}

/** Undefined where it is not encoded as the part of a URI. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
