import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/**
 * How replies of servers that anybody may have written are read: lines end by LF alone as well, as scripts write them
 * (CGI), and Go's client reads them. This lets more through than Go does: see `readLaxHead`.
 */
export const LAX_REPLIES = { insecureHTTPParser: true } as const;

/** Tab is the one of them that a value may have. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\0-\x08\x0a-\x1f\x7f]/;

/** Whether names and values in turn (headers, trailers) hold nothing that no header may hold (RFC 9110, 5.5). */
export function areSoundLines(raw: readonly string[]): boolean {
  return !raw.some((part) => CONTROLS.test(part));
}

/**
 * The headers of a reply that was read with LAX_REPLIES. Without a length beside chunks, which count (RFC 9112, 6.3);
 * undefined: they hold what cannot be passed on.
 */
export function readLaxHead({ headers, rawHeaders }: IncomingMessage): IncomingHttpHeaders | undefined {
  if (!areSoundLines(rawHeaders)) return undefined;
  if (headers['transfer-encoding'] === undefined || headers['content-length'] === undefined) return headers;
  const { 'content-length': _length, ...rest } = headers;
  return rest;
}
