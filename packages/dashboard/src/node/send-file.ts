import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { takesGzip } from '@binnacle/base';
import { DATA_HEADERS, pageHeaders } from '../headers.ts';
import type { PageFile } from './files.ts';

const INDEX = '/index.html';
/** In the page where its nonce is to stand. */
const NONCE = '__NONCE__';
const NONCE_BYTES = 16;
const FOREVER = 'public, max-age=31536000, immutable';

/** Sends a file of the page; every path that is none leads to the page itself, which reads it. */
export async function sendFile(
  files: ReadonlyMap<string, PageFile>,
  path: string,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { ...DATA_HEADERS, allow: 'GET, HEAD' }).end();
    return;
  }
  const file = files.get(path) ?? (path.startsWith('/assets/') ? undefined : files.get(INDEX));
  if (file === undefined) {
    response.writeHead(404, { ...DATA_HEADERS, 'content-type': 'text/plain' }).end('not found\n');
    return;
  }
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  const cacheControl = file.isHashed ? FOREVER : 'no-cache';
  const headers = { ...pageHeaders(nonce), 'content-type': file.type, 'cache-control': cacheControl };
  if (file === files.get(INDEX)) {
    const text = new TextDecoder().decode(file.bytes).replaceAll(NONCE, nonce);
    response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : text);
    return;
  }
  const isZipped = takesGzip(String(request.headers['accept-encoding'] ?? ''));
  const bytes = isZipped ? await file.zipped() : file.bytes;
  const encoding = isZipped ? { 'content-encoding': 'gzip' } : {};
  response.writeHead(200, { ...headers, ...encoding, vary: 'accept-encoding', 'content-length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}
