import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { CAUSE_HEADER, parseCause } from '../request/cause-header.ts';
import { parseQuery } from '../request/query.ts';
import type { ApiRequest, RequestBody } from '../request/api-request.ts';
import { readBody } from './body-reader.ts';
import type { ConnectionCredentials } from './connection-credentials.ts';

export interface HttpRequestParts {
  readonly method: string;
  /** Path and query, as they came. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable | undefined;
  readonly connection: ConnectionCredentials;
}

const NO_BODY: RequestBody = { kind: 'none' };

/** A request as the pipeline takes it. */
export function httpRequest(parts: HttpRequestParts): ApiRequest {
  const { target, headers, body } = parts;
  const mark = target.indexOf('?');
  const told = headers[CAUSE_HEADER];
  const cause = typeof told === 'string' ? parseCause(told) : undefined;
  return {
    method: parts.method,
    path: mark === -1 ? target : target.slice(0, mark),
    query: parseQuery(mark === -1 ? '' : target.slice(mark + 1)),
    header(name) {
      const value = headers[name];
      return value === undefined ? '' : typeof value === 'string' ? value : value.join(', ');
    },
    ...(cause === undefined ? {} : { cause }),
    credentials: parts.connection.of(headers.authorization),
    body: body === undefined ? NO_BODY : { kind: 'bytes', read: once(() => readBody(body, headers['content-length'])) },
  };
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => (reading ??= read());
}
