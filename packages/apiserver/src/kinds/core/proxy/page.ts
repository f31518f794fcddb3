import type { Forwarded } from '../../../outbound/forward.ts';
import { rewriteLink } from './links.ts';
import type { LinkPlace } from './links.ts';

type Page = Extract<Forwarded, { readonly kind: 'stream' }>;

/** What browsers unpack by themselves. */
const PACKINGS: ReadonlyMap<string, 'gzip' | 'deflate'> = new Map([
  ['gzip', 'gzip'],
  ['deflate', 'deflate'],
]);

/**
 * The answer of a web server as a browser may have it through the proxy: links to the server's own paths lead through
 * the proxy again, nothing allows other origins, and pages share no origin with this server.
 */
export function asProxied(page: Page, place: LinkPlace): Page {
  const { location, ...headers } = withoutOrigins(page.headers);
  const policy = [headers['content-security-policy'] ?? [], 'sandbox'].flat();
  const kept: Page['headers'] = { ...headers, 'content-security-policy': policy.length === 1 ? 'sandbox' : policy };
  // Behind a redirect nobody reads the page.
  if (typeof location === 'string') {
    return { ...page, headers: { ...kept, location: rewriteLink(location, place) } };
  }
  const type = page.contentType.split(';', 1)[0]?.trim().toLowerCase();
  const packing = headers['content-encoding'];
  const unpack = typeof packing === 'string' ? PACKINGS.get(packing.toLowerCase()) : undefined;
  if (type !== 'text/html' || (packing !== undefined && unpack === undefined)) return { ...page, headers: kept };
  // Its length is another, and it goes out unpacked.
  const { 'content-length': _length, 'content-encoding': _encoding, etag: _etag, ...left } = kept;
  const body = unpack === undefined ? page.body : unpacked(page.body, unpack);
  return { ...page, headers: left, body: withLinks(body, (link) => rewriteLink(link, place)) };
}

function withoutOrigins(headers: Page['headers']): Page['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('access-control-')));
}

async function* withLinks(
  body: AsyncIterable<Uint8Array>,
  rewrite: (link: string) => string,
): AsyncGenerator<Uint8Array> {
  // Loaded on first use: few servers pass a page on.
  const { HtmlLinks } = await import('./html-links.ts');
  const links = new HtmlLinks(rewrite);
  for await (const piece of body) {
    const text = links.write(textOf(piece));
    if (text !== '') yield bytesOf(text);
  }
  const rest = links.end();
  if (rest !== '') yield bytesOf(rest);
}

/** One letter for each byte, so that whatever the page's letters are, they stay. */
function textOf(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += LETTERS_MAX) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + LETTERS_MAX)));
  }
  return parts.join('');
}
/** Arguments of one call. */
const LETTERS_MAX = 8 * 1024;

function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Leaving early leaves the source too. */
async function* unpacked(body: AsyncIterable<Uint8Array>, format: 'gzip' | 'deflate'): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new DecompressionStream(format);
  const writer = writable.getWriter();
  const feed = async (): Promise<void> => {
    for await (const piece of body) await writer.write(piece);
    await writer.close();
  };
  // What goes wrong is told to the reader.
  feed().catch((error: unknown) => writer.abort(error).catch(() => undefined));
  for await (const piece of readable) yield piece;
}
