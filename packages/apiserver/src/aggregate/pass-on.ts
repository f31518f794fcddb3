import { AbortedError, HttpConnectError, messageOf } from '@binnacle/base';
import type { HttpCaller } from '@binnacle/base';
import type { Reply } from '../catalogue/definition.ts';
import { certificateNotes } from '../outbound/certificate-notes.ts';
import { forward } from '../outbound/forward.ts';
import { findServiceEndpoint } from '../outbound/service-endpoint.ts';
import type { EndpointWorld } from '../outbound/service-endpoint.ts';
import type { Exchange } from '../request/exchange.ts';
import { queryTextOf } from '../request/uri.ts';
import { Remote } from './remote.ts';
import { remoteUserHeaders } from './remote-user.ts';

export interface PassOnWorld extends EndpointWorld {
  /** Absent: nothing is passed on. */
  readonly passing: HttpCaller | undefined;
  /** What this server is called among those that a request came through (RFC 9110, 7.6.3): of all it meets, one of a kind. */
  readonly viaName: () => string;
}

/** Passes a request on to the API server that serves its group and version, as the user who asks. */
export async function passOn(world: PassOnWorld, remote: Remote, exchange: Exchange): Promise<Reply> {
  const { passing } = world;
  const place = findServiceEndpoint(world, remote.address);
  if (!remote.available || passing === undefined || 'missing' in place) return refusal(503, 'service unavailable');
  const { request, user } = exchange;
  const own = `1.1 ${world.viaName()}`;
  const before = request.header('via');
  if (before.split(',').some((one) => one.trim() === own)) {
    return refusal(508, `the Service of ${remote.service.metadata.name} leads back to this server`);
  }
  const query = queryTextOf(request);
  const origin = Remote.originOf(place);
  try {
    const reply = await forward(request, {
      http: passing,
      url: `${origin}${request.path}${query === '' ? '' : `?${query}`}`,
      trust: remote.trust,
      onFlaw: certificateNotes(origin, (key, value) => note(exchange, key, value)),
      headers: {
        host: new URL(origin).host,
        via: before === '' ? own : `${before}, ${own}`,
        ...remoteUserHeaders(user),
      },
    });
    if (reply.kind === 'upgrade' || !isRedirect(reply)) return reply;
    reply.cancel();
    return refusal(502, 'the backend attempted to redirect this request, which is not permitted');
  } catch (error) {
    if (error instanceof AbortedError) return refusal(503, 'the client has gone');
    const why = error instanceof HttpConnectError ? error.why : messageOf(error);
    return refusal(503, `error trying to reach service: ${why}`);
  }
}

/** In the audit record, where there is one. */
function note(exchange: Exchange, key: string, value: string): void {
  if (exchange.audit !== undefined) (exchange.annotations ??= new Map<string, string>()).set(key, value);
}

/** A redirect would have the client show its credentials to whom the other server likes. */
function isRedirect({ code, headers = {} }: { readonly code: number; readonly headers?: object }): boolean {
  return code >= 300 && code <= 399 && 'location' in headers;
}

function refusal(code: number, text: string): Reply {
  return { kind: 'text', code, contentType: 'text/plain; charset=utf-8', body: `${text}\n` };
}
