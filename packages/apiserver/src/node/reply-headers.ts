import type { OutgoingHttpHeaders } from 'node:http';
import type { Status } from '@binnacle/machinery';
import type { Exchange } from '../request/exchange.ts';
import type { Reply, StreamReply } from '../catalogue/definition.ts';
import { warningHeaders } from './warning-headers.ts';

const PRIVATE = 'no-cache, private';

/** The headers of a reply: whose it is, what it is, what to be warned of, when to try again. */
export function headersOf(
  { auditId, warnings, flow }: Exchange,
  reply: Reply,
  contentType: string,
): OutgoingHttpHeaders {
  // Whole replies of some type are nearly all: theirs are made in one piece.
  const headers: OutgoingHttpHeaders =
    contentType === '' || reply.kind === 'stream'
      ? {
          ...(contentType === '' ? {} : { 'content-type': contentType }),
          'cache-control': PRIVATE,
          ...(reply.kind === 'stream' ? forwarded(reply.headers) : {}),
          'audit-id': auditId,
        }
      : { 'content-type': contentType, 'cache-control': PRIVATE, 'audit-id': auditId };
  if (flow !== undefined) {
    headers['x-kubernetes-pf-prioritylevel-uid'] = flow.levelUid;
    headers['x-kubernetes-pf-flowschema-uid'] = flow.schemaUid;
  }
  // One value per text: Node's type for this header knows only one, HTTP allows many.
  if (warnings.length > 0) {
    const known = headers['warning'] as string | string[] | undefined;
    Object.assign(headers, {
      warning: [...(known === undefined ? [] : [known].flat()), ...warningHeaders(warnings)],
    });
  }
  if (reply.kind === 'text') Object.assign(headers, reply.headers);
  if (reply.kind === 'object' && reply.code >= 400) {
    const seconds = (reply.object as Status).details?.retryAfterSeconds ?? 0;
    if (seconds > 0) headers['retry-after'] = String(seconds);
  }
  return headers;
}

/** Of somebody else's answer: where it says something itself, that counts. */
function forwarded(headers: StreamReply['headers'] = {}): OutgoingHttpHeaders {
  return headers as OutgoingHttpHeaders;
}
