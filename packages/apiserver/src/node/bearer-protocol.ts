import type { IncomingMessage } from 'node:http';
import { namesIn } from '@binnacle/streams';

const PREFIX = 'base64url.bearer.authorization.k8s.io.';
const HEADER = 'sec-websocket-protocol';
const BASE64URL = /^[-_A-Za-z0-9]+$/;

/**
 * Browsers cannot send a header with a WebSocket: their token comes as one of the protocols that they offer (upstream's
 * `base64url.bearer.authorization.k8s.io.…`). It becomes the Authorization header that it stands for, and nobody sees it
 * among the protocols any more. As upstream has it, there is one such token and another protocol beside it.
 */
export function takeBearerProtocol({ headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): void {
  if (headers.upgrade?.toLowerCase() !== 'websocket') return;
  const offered = namesIn(headers[HEADER] ?? '');
  const tokens = offered.filter((name) => name.startsWith(PREFIX));
  const others = offered.filter((name) => !name.startsWith(PREFIX));
  const encoded = tokens[0]?.slice(PREFIX.length) ?? '';
  if (tokens.length !== 1 || others.length === 0 || !BASE64URL.test(encoded)) return;
  headers[HEADER] = others.join(', ');
  headers.authorization ??= `Bearer ${Buffer.from(encoded, 'base64url').toString('utf8')}`;
  replaceLines(rawHeaders, headers[HEADER]);
}

/** In place: whoever passes the request on goes by the lines as they came. */
function replaceLines(lines: string[], protocols: string): void {
  const kept: string[] = [];
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const [name = '', value = ''] = lines.slice(i, i + 2);
    if (name.toLowerCase() !== HEADER) kept.push(name, value);
  }
  lines.splice(0, lines.length, ...kept, HEADER, protocols);
}
