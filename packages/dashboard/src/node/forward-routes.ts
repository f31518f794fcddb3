import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '@binnacle/base';
import { parsedJson, StatusError } from '@binnacle/machinery';
import type { ForwardTarget } from './forward.ts';
import { sessionOf } from './pass-on.ts';
import { readBody, send } from './session-routes.ts';
import type { DashboardWorld } from './world.ts';

const NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;

/** Whether a path is one of these routes. */
export function isForwardPath(path: string): boolean {
  return path === '/forwards' || path.startsWith('/forwards/');
}

/**
 * `GET /forwards` lists the viewer's open ports, `POST` `{namespace, pod, port}` opens one (403 and the like as the API
 * server says), `DELETE /forwards/ID` ends it.
 */
export async function serveForwards(
  world: DashboardWorld,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const session = sessionOf(world, request);
  if (session === undefined) return send(response, 401, { error: 'no session' });
  const forwards = world.forwardsOf(session);
  const { method, url = '' } = request;
  if (method === 'GET') return send(response, 200, { forwards: forwards.list() });
  if (method === 'DELETE') {
    const isEnded = await forwards.end(url.slice('/forwards/'.length));
    return send(response, isEnded ? 200 : 404, {});
  }
  if (method !== 'POST') return send(response, 405, { error: 'GET, POST or DELETE' });
  const target = readTarget(await readBody(world, request));
  if (target === undefined) return send(response, 400, { error: 'a namespace, a pod and a port are needed' });
  try {
    return send(response, 201, await forwards.open(target));
  } catch (error) {
    return send(response, error instanceof StatusError ? error.httpCode : 502, { message: messageOf(error) });
  }
}

function readTarget(text: string | undefined): ForwardTarget | undefined {
  if (text === undefined) return undefined;
  const { namespace, pod, port } = (parsedJson(text) ?? {}) as { readonly [field: string]: unknown };
  const isNamed = [namespace, pod].every((name) => typeof name === 'string' && NAME.test(name));
  if (!isNamed || typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
  return { namespace: namespace as string, pod: pod as string, port };
}
