/** What links of a proxied page are measured by. */
export interface LinkPlace {
  /** Path of the proxy, before what belongs to the page: `/api/v1/namespaces/a/pods/p/proxy`. */
  readonly prefix: string;
  /** `host:port` of the other side, as it is dialled. */
  readonly backendHost: string;
  /** `Host` of the client's request. */
  readonly requestHost: string;
}

const ABSOLUTE = /^(?:([a-z][a-z0-9+.-]*):)?\/\/([^/?#]*)([^]*)$/i;

/**
 * A link as it has to be for a browser that came through the proxy: one to a path of the same server gets the proxy's
 * prefix; links to other servers and relative ones stay. Nothing of it is decoded, so that entities and other letters
 * stay as they are.
 */
export function rewriteLink(link: string, place: LinkPlace): string {
  const absolute = ABSOLUTE.exec(link);
  if (absolute === null) return link.startsWith('/') ? prefixed(link, place.prefix) : link;
  const [, , host = '', rest = ''] = absolute;
  if (host !== '' && host !== place.backendHost && host !== place.requestHost) return link;
  if (!rest.startsWith('/')) return link;
  const path = prefixed(rest, place.prefix);
  return host === place.requestHost && host !== '' ? `${link.slice(0, link.length - rest.length)}${path}` : path;
}

function prefixed(path: string, prefix: string): string {
  return path.startsWith(prefix) ? path : `${prefix}${path}`;
}
