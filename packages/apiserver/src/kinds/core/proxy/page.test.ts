import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { asProxied } from './page.ts';

const PLACE = { prefix: '/api/v1/namespaces/a/pods/p/proxy', backendHost: '10.0.0.1:80', requestHost: 'server' };
const PAGE = '<a href="/x">\u00e4</a>';
const LED = `<a href="${PLACE.prefix}/x">\u00e4</a>`;

type Page = Parameters<typeof asProxied>[0];
type Headers = Page['headers'];

function page(headers: Headers, contentType = 'text/html', content: Uint8Array = Buffer.from(PAGE)): Page {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const byte of content) yield Uint8Array.of(byte);
  }
  return { kind: 'stream', code: 200, contentType, headers, body: body(), cancel: () => undefined };
}

async function textOf({ body }: Page): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('the headers of a page behind the proxy', () => {
  const SANDBOX = { 'content-security-policy': 'sandbox' };
  const rows: readonly (readonly [name: string, given: Page, wanted: Headers])[] = [
    ['pages share no origin', page({}), SANDBOX],
    [
      'what it says of itself stays beside it',
      page({ 'content-security-policy': "default-src 'self'" }),
      { 'content-security-policy': ["default-src 'self'", 'sandbox'] },
    ],
    ['several', page({ 'content-security-policy': ['a', 'b'] }), { 'content-security-policy': ['a', 'b', 'sandbox'] }],
    [
      'nothing allows other origins',
      page({ 'access-control-allow-origin': '*', 'access-control-x': 'y', a: 'b' }),
      { a: 'b', ...SANDBOX },
    ],
    [
      'a page that is rewritten has another length',
      page({ 'content-length': '9', etag: '"x"', 'content-encoding': 'GZIP', a: 'b' }),
      { a: 'b', ...SANDBOX },
    ],
    [
      'what is no page stays as it is',
      page({ 'content-length': '9', etag: '"x"', 'content-encoding': 'gzip' }, 'text/css'),
      { 'content-length': '9', etag: '"x"', 'content-encoding': 'gzip', ...SANDBOX },
    ],
    [
      'what nobody here unpacks stays as it is',
      page({ 'content-length': '9', 'content-encoding': 'br' }),
      { 'content-length': '9', 'content-encoding': 'br', ...SANDBOX },
    ],
    [
      'a packing called like a member of every object',
      page({ 'content-length': '9', 'content-encoding': 'constructor' }),
      { 'content-length': '9', 'content-encoding': 'constructor', ...SANDBOX },
    ],
    [
      'a redirect leads through the proxy',
      page({ location: '/x', 'content-length': '9' }),
      { location: `${PLACE.prefix}/x`, 'content-length': '9', ...SANDBOX },
    ],
    [
      'a redirect elsewhere',
      page({ location: 'https://example.com/' }),
      { location: 'https://example.com/', ...SANDBOX },
    ],
  ];
  for (const [name, given, wanted] of rows) {
    test(name, () => assert.deepEqual(asProxied(given, PLACE).headers, wanted));
  }
});

describe('the body of a page behind the proxy', () => {
  const packed = gzipSync(PAGE);
  const rows: readonly (readonly [name: string, given: Page, wanted: string])[] = [
    ['links lead through the proxy', page({}), LED],
    ['whatever its letters are', page({}, 'Text/HTML; charset=utf-8'), LED],
    ['unpacked', page({ 'content-encoding': 'gzip' }, 'text/html', packed), LED],
    ['what is no page', page({}, 'text/plain'), PAGE],
    ['a page of no type', page({}, ''), PAGE],
    ['behind a redirect nobody reads it', page({ location: '/y' }), PAGE],
    ['an unknown packing', page({ 'content-encoding': 'constructor' }), PAGE],
    ['an empty page', page({}, 'text/html', new Uint8Array()), ''],
  ];
  for (const [name, given, wanted] of rows) {
    test(name, async () => assert.equal(await textOf(asProxied(given, PLACE)), wanted));
  }

  test('what is not packed as it says breaks off', async () => {
    await assert.rejects(textOf(asProxied(page({ 'content-encoding': 'gzip' }), PLACE)));
  });
});
