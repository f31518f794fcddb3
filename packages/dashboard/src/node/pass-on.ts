import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DATA_HEADERS, replyHeaders, requestHeaders } from '../headers.ts';
import type { Session } from '../sessions.ts';
import type { DashboardWorld } from './world.ts';

const BEARER = 'Bearer ';

/** The session of a request; undefined: it has none. */
export function sessionOf(
  { sessions }: Pick<DashboardWorld, 'sessions'>,
  request: IncomingMessage,
): Session | undefined {
  const { authorization = '' } = request.headers;
  return authorization.startsWith(BEARER) ? sessions.find(authorization.slice(BEARER.length)) : undefined;
}

/** Asks the API server as the viewer, and passes the answer back as it comes, at the pace of the reader. */
export async function passOn(world: DashboardWorld, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const session = sessionOf(world, request);
  if (session === undefined) {
    response.writeHead(401, { ...DATA_HEADERS, 'content-type': 'text/plain' }).end('no session\n');
    return;
  }
  const { method = 'GET', url = '/' } = request;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const reply = await session.wire.raw({
    method,
    path: url,
    headers: requestHeaders(request.headers),
    signal: gone.signal,
    ...(hasBody ? { body: request as AsyncIterable<Uint8Array> } : {}),
  });
  response.writeHead(reply.status, replyHeaders(reply.headers) as { [name: string]: string | string[] });
  for await (const chunk of reply.body) {
    if (!response.write(chunk)) await once(response, 'drain', { signal: gone.signal });
  }
  response.end();
}
