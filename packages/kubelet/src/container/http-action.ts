import type { Container, HTTPGetAction } from '@binnacle/api/core/v1';
import { PortError } from '../errors.ts';
import type { HttpProbeRequest } from '../network-probe.ts';

/** The request of an httpGet action of a probe or hook. Throws PortError. */
export function httpRequest(
  get: HTTPGetAction,
  of: {
    readonly container: Container;
    readonly podIP: string;
    readonly timeoutMs: number;
    readonly userAgent?: HttpProbeRequest['userAgent'];
  },
): HttpProbeRequest {
  return {
    scheme: get.scheme === 'HTTPS' ? 'HTTPS' : 'HTTP',
    host: get.host || of.podIP,
    port: portNumber(get.port, of.container),
    path: requestPath(get.path ?? ''),
    headers: (get.httpHeaders ?? []).map((h) => ({ name: h.name, value: h.value })),
    timeoutMs: of.timeoutMs,
    ...(of.userAgent === undefined ? {} : { userAgent: of.userAgent }),
  };
}

/** With a slash before it. A whole URL, or one without its scheme (`//host/path`), asks for its path of the action's host, as in Go. */
function requestPath(path: string): string {
  const local = path.replace(/^(?:[a-zA-Z][-+.a-zA-Z0-9]*:\/\/|\/\/(?!\/))[^/?#]*/, '');
  return local.startsWith('/') ? local : `/${local}`;
}

/** A port by number, or by its name in the container. Throws PortError where there is none such. */
export function portNumber(port: number | string, container: Container): number {
  const named = typeof port === 'string' ? (container.ports ?? []).find((p) => p.name === port) : undefined;
  const number = named?.containerPort ?? (/^\d+$/.test(String(port)) ? Number(port) : undefined);
  if (number === undefined) throw new PortError(`strconv.Atoi: parsing ${JSON.stringify(port)}: invalid syntax`);
  if (number < 1 || number > 65_535) throw new PortError(`invalid port number: ${number}`);
  return number;
}
