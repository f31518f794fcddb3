import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { environmentProxy } from './environment-proxy.ts';

const P = 'http://proxy:3128';

const CHOSEN: readonly (readonly [
  server: string,
  env: { readonly [name: string]: string },
  url: string | undefined,
])[] = [
  ['https://api.test', {}, undefined],
  ['https://api.test', { HTTPS_PROXY: P }, P],
  ['https://api.test', { https_proxy: P }, P],
  ['https://api.test', { HTTPS_PROXY: P, https_proxy: 'http://other' }, P],
  ['https://api.test', { HTTPS_PROXY: '', https_proxy: P }, P],
  ['https://api.test', { HTTP_PROXY: P, ALL_PROXY: P }, undefined],
  ['http://api.test', { HTTPS_PROXY: P }, undefined],
  ['http://api.test', { http_proxy: P }, P],
  ['https://api.test', { HTTPS_PROXY: 'proxy:3128' }, P],
  ['https://api.test', { HTTPS_PROXY: 'socks5://proxy' }, 'socks5://proxy'],
  ['https://api.test', { HTTPS_PROXY: 'http://' }, undefined],
  ['https://api.test', { HTTPS_PROXY: 'a b' }, undefined],
  ['https://localhost:6443', { HTTPS_PROXY: P }, undefined],
  ['https://127.0.0.9:6443', { HTTPS_PROXY: P }, undefined],
  ['https://[::1]:6443', { HTTPS_PROXY: P }, undefined],
  ['https://[::ffff:127.0.0.1]', { HTTPS_PROXY: P }, undefined],
  ['https://localhost.test', { HTTPS_PROXY: P }, P],
];
for (const [server, env, url] of CHOSEN) {
  test(`${server} ${JSON.stringify(env)}: ${url ?? 'none'}`, () => equal(environmentProxy(env, server)?.url, url));
}

const EXCEPTIONS: readonly (readonly [server: string, exceptions: string, isExcepted: boolean])[] = [
  ['https://api.test', '*', true],
  ['https://api.test', 'other, api.test', true],
  ['https://API.test', 'Api.Test', true],
  ['https://api.test', 'test', true],
  ['https://api.test', '.test', true],
  ['https://test', '.test', false],
  ['https://test', '*.test', false],
  ['https://api.test', '*.test', true],
  ['https://myapi.test', 'api.test', false],
  ['https://api.test', 'api.test:443', true],
  ['https://api.test:6443', 'api.test:443', false],
  ['https://api.test:6443', 'api.test:6443', true],
  ['https://api.test', ':443', false],
  ['https://api.test', ',, ,', false],
  ['https://b\u00fccher.test', 'b\u00fccher.test', true],
  ['https://10.1.2.3', '10.0.0.0/8', true],
  ['https://10.1.2.3', '10.1.2.3', true],
  ['https://10.1.2.3', '10.1.2.3:443', true],
  ['https://10.1.2.3', '1.2.3', false],
  ['https://11.1.2.3', '10.0.0.0/8', false],
  ['https://api.test', '10.0.0.0/8', false],
  ['https://10.1.2.3', '10.0.0.0/99', false],
  ['https://[fd00::1]', 'FD00::1', true],
  ['https://[fd00::1]:6443', '[fd00::1]:6443', true],
  ['https://[fd00::1]', 'fd00::/8', true],
  ['https://[::ffff:10.1.2.3]', '10.0.0.0/8', true],
];
for (const [server, exceptions, isExcepted] of EXCEPTIONS) {
  test(`${server} ${isExcepted ? 'needs none' : 'goes through it'}: NO_PROXY=${exceptions}`, () => {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      equal(environmentProxy({ HTTPS_PROXY: P, [name]: exceptions }, server) === undefined, isExcepted);
    }
  });
}

test('exceptions without end are read in a time that grows with them', () => {
  const NO_PROXY = `${'a.'.repeat(50_000)},${'[:'.repeat(50_000)},${'*.'.repeat(50_000)}`;
  equal(environmentProxy({ HTTPS_PROXY: P, NO_PROXY }, 'https://api.test')?.url, P);
});
