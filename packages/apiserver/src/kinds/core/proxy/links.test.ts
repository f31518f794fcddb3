import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rewriteLink } from './links.ts';

const place = { prefix: '/p/proxy', backendHost: '10.0.0.1:80', requestHost: 'localhost:8001' };

for (const [what, link, expected] of [
  ['a path', '/a/b?c=d#e', '/p/proxy/a/b?c=d#e'],
  ['the root', '/', '/p/proxy/'],
  ['a relative path', 'a/b', 'a/b'],
  ['a query', '?a', '?a'],
  ['nothing', '', ''],
  ['one that has the prefix already', '/p/proxy/a', '/p/proxy/a'],
  ['the other side by its address', 'http://10.0.0.1:80/a', '/p/proxy/a'],
  ['the other side, without a scheme', '//10.0.0.1:80/a', '/p/proxy/a'],
  ['this server', 'https://localhost:8001/a', 'https://localhost:8001/p/proxy/a'],
  ['somebody else', 'https://example.org/a', 'https://example.org/a'],
  ['the same host by another port', 'http://10.0.0.1:81/a', 'http://10.0.0.1:81/a'],
  ['a script', 'javascript:alert(1)', 'javascript:alert(1)'],
  ['mail', 'mailto:a@b', 'mailto:a@b'],
  ['a host without a path', 'http://10.0.0.1:80', 'http://10.0.0.1:80'],
] as const) {
  test(`a link to ${what}`, () => assert.equal(rewriteLink(link, place), expected));
}
