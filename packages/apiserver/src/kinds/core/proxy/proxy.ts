import type { Pod } from '@binnacle/api/core/v1';
import { bracketed, hostPort, HttpConnectError, messageOf } from '@binnacle/base';
import type { HttpCaller, Random } from '@binnacle/base';
import { status, StatusError } from '@binnacle/machinery';
import type { Call, ConnectCall, Handler, Reply, SubresourceDefinition } from '../../../catalogue/definition.ts';
import { forward } from '../../../outbound/forward.ts';
import type { Onward } from '../../../outbound/forward.ts';
import type { NodeConnector } from '../../../ports/nodes.ts';
import type { CacheReader } from '../../../ports/reader.ts';
import type { ApiRequest } from '../../../request/api-request.ts';
import { parseQuery } from '../../../request/query.ts';
import { queryTextOf } from '../../../request/uri.ts';
import { methodNotAllowed } from '../../../verbs/refusals.ts';
import { kubeletAddress } from '../pods/kubelet-address.ts';
import { connectorOf, readNode, readPod } from '../pods/lookup.ts';
import { isGlobalUnicast } from '../../../outbound/global-unicast.ts';
import { locatePod, locateServicePod } from './locate.ts';
import type { PodPlace } from './locate.ts';
import { kubeletAsCaller } from './node-caller.ts';
import { asProxied } from './page.ts';
import { portNumber, readTarget } from './target.ts';

/** What proxies need. */
export interface ProxyWorld {
  readonly get: Handler<Call>;
  readonly cache: CacheReader;
  readonly random: Random;
  /** Absent: nobody can be asked over the network. */
  readonly http: HttpCaller | undefined;
  /** Absent: no kubelet can be asked. */
  readonly nodes: NodeConnector | undefined;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** `proxy` of pods, services and nodes: the request is passed on to what listens there, and the answer back. */
export function proxySubresources(world: ProxyWorld): {
  readonly [resource in 'pods' | 'services' | 'nodes']: SubresourceDefinition;
} {
  return {
    pods: subresource(async (call) => {
      const target = readTarget('pod', call.info.name);
      return podOnward(world, locatePod(await readTargetPod(world.get, call, target.name), target));
    }),
    services: subresource(async (call) => {
      const target = readTarget('service', call.info.name);
      return podOnward(world, locateServicePod(world, call.info.namespace, target));
    }),
    nodes: subresource(async (call) => nodeOnward(world, call)),
  };
}

/** All but the path and what the client sent. */
type Place = Omit<Onward, 'url' | 'headers'> & { readonly scheme: 'http' | 'https'; readonly host: string };

function subresource(locate: (call: ConnectCall) => Promise<Place>): SubresourceDefinition {
  return {
    handlers: {},
    async connect(call) {
      if (!METHODS.has(call.request.method)) throw methodNotAllowed();
      const { scheme, host, ...place } = await locate(call);
      const { prefix, rest } = splitPath(call);
      const { request } = call;
      const query = queryOf(request);
      const mayRedirect = request.method === 'GET' || request.method === 'HEAD';
      // Relative links of a page at `proxy` would lead out of it.
      if (rest === '' && mayRedirect && request.header('upgrade') === '') return movedTo(`${prefix}/${query}`);
      const path = rest === '' ? '/' : rest;
      return onward(request, {
        ...place,
        url: `${scheme}://${host}${path}${query}`,
        headers: { 'x-forwarded-uri': `${prefix}${path}` },
        page: { prefix, backendHost: host },
      });
    },
  };
}

async function onward(
  request: ApiRequest,
  { page, ...to }: Onward & { readonly page: { readonly prefix: string; readonly backendHost: string } },
): Promise<Reply> {
  try {
    const reply = await forward(request, to);
    if (reply.kind === 'upgrade') return reply;
    const requestHost = request.header('host') || request.header(':authority');
    return asProxied(reply, { ...page, requestHost });
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const why = error instanceof HttpConnectError ? error.why : messageOf(error);
    throw status.serviceUnavailable(`error trying to reach service: ${why}`);
  }
}

function movedTo(location: string): Reply {
  return { kind: 'text', code: 301, contentType: 'text/plain; charset=utf-8', body: '', headers: { location } };
}

function podOnward({ http, nodes }: ProxyWorld, { scheme, pod, host, port }: PodPlace): Place {
  const number = portNumber(host, port, scheme);
  const { metadata, spec } = pod;
  const connect = nodes?.connectPod({
    nodeName: spec.nodeName ?? '',
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    address: host,
    port: number,
  });
  const place = { http: callerOf(http), scheme, host: hostText(host, port) };
  if (connect === undefined) return { ...place, permits: isGlobalUnicast, trust: { insecure: true } };
  if (scheme === 'https') {
    throw status.serviceUnavailable(
      'error trying to reach service: http: server gave HTTP response to HTTPS client: a simulated pod speaks plain HTTP',
    );
  }
  return { ...place, connect };
}

function callerOf(http: HttpCaller | undefined): HttpCaller {
  if (http === undefined) throw status.serviceUnavailable('this API server has no way to the network of pods');
  return http;
}

function hostText(host: string, port: string): string {
  return port === '' ? bracketed(host) : hostPort(host, port);
}

/** A node's kubelet, asked as this server; by another port, whatever listens there. */
function nodeOnward({ cache, http, nodes }: ProxyWorld, { info }: ConnectCall): Place {
  const target = readTarget('node', info.name);
  const { host, port } = kubeletAddress(readNode(cache, target.name));
  if (target.port === '' || target.port === String(port)) {
    const caller = kubeletAsCaller(connectorOf(nodes), { nodeName: target.name, host, port });
    return { http: caller, scheme: 'https', host: hostText(host, String(port)) };
  }
  const number = portNumber(host, target.port, target.scheme);
  return {
    http: callerOf(http),
    scheme: target.scheme,
    host: hostText(host, String(number)),
    permits: isGlobalUnicast,
    trust: { insecure: true },
  };
}

/** The pod as a read would show it now; what the client asks of somebody else says nothing here. */
async function readTargetPod(get: Handler<Call>, call: ConnectCall, name: string): Promise<Pod> {
  const info = { ...call.info, name, verb: 'get', subresource: '', rest: '' };
  const cause = { id: '', component: '', request: '' };
  return readPod(get, { ...call, info, query: parseQuery(''), dryRun: false, cause });
}

/** The path up to `proxy`, and what follows it, both as they came. */
function splitPath({ info, request }: ConnectCall): { readonly prefix: string; readonly rest: string } {
  // Before it: api, v1, namespaces, the namespace, resource and name; or without the namespace's two.
  const parts = info.namespace === '' ? 5 : 7;
  let at = 0;
  for (let seen = 0; seen < parts; seen++) {
    while (request.path[at] === '/') at++;
    const end = request.path.indexOf('/', at);
    at = end === -1 ? request.path.length : end;
  }
  return { prefix: request.path.slice(0, at), rest: request.path.slice(at) };
}

function queryOf(request: ApiRequest): string {
  const text = queryTextOf(request);
  return text === '' ? '' : `?${text}`;
}
