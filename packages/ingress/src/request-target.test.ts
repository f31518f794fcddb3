import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from '@binnacle/base/testing';
import { hostOf, readTarget } from './request-target.ts';

const TARGETS: readonly (readonly [name: string, target: string, path: string | undefined, query?: string])[] = [
  ['plain', '/a/b?c=d?e', '/a/b', '?c=d?e'],
  ['the root', '/', '/'],
  ['doubled slashes stay', '//a//b', '//a//b'],
  ['up and down', '/a/b/../c/./d', '/a/c/d'],
  ['above the root', '/../../etc/passwd', '/etc/passwd'],
  ['up at the end', '/a/b/..', '/a/'],
  ['here at the end', '/a/.', '/a/'],
  ['all the way up', '/a/..', '/'],
  ['dots in escapes', '/public/%2e%2E/admin', '/admin'],
  ['letters in escapes', '/%61dmin', '/admin'],
  ['a slash in an escape stays one', '/a%2fb', '/a%2Fb'],
  ['an escaped nought', '/a%00b', undefined],
  ['a broken escape stays', '/100%/%zz', '/100%/%zz'],
  ['a hidden name is no dot', '/.well-known/x', '/.well-known/x'],
  ['dots in the query are its own', '/a?x=/../b', '/a', '?x=/../b'],
  ['a backslash is no part of a URL', '/a\\..\\b', undefined],
  ['nor is a fragment sent', '/a#b', undefined],
  ['a star', '*', undefined],
  ['an authority alone', 'example.com:443', undefined],
  ['nothing', '', undefined],
  ['absolute', 'http://Example.com:80/x?y', '/x', '?y'],
  ['absolute without a path', 'http://example.com?y', '/', '?y'],
];

for (const [name, target, path, query = ''] of TARGETS) {
  test(`target: ${name}`, () => {
    const read = readTarget(target);
    assert.deepEqual(read && [read.path, read.query], path === undefined ? undefined : [path, query]);
  });
}

test('a target of many segments is read in no time', () => {
  const ms = cpuMs(() => {
    readTarget(`/${'a/../'.repeat(100_000)}`);
    readTarget(`/${'%2e%2e/'.repeat(100_000)}`);
  });
  assert.ok(ms < 1000, `${ms}`);
});

const HOSTS: readonly (readonly [authority: string, host: string])[] = [
  ['Example.COM', 'example.com'],
  ['example.com:8080', 'example.com'],
  ['example.com.', 'example.com'],
  ['example.com.:80', 'example.com'],
  ['[::1]:80', '[::1]'],
  ['[::1]', '[::1]'],
  ['user@example.com', ''],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['b\u00fccher.example', ''],
  ['example.com:80/x', ''],
  ['example.com:80:80', ''],
  ['example.com:http', ''],
  ['example.com/x', ''],
  ['[::1', ''],
  ['[::1]x', ''],
  ['a b', ''],
  ['', ''],
];

for (const [authority, host] of HOSTS) {
  test(`host of "${authority}"`, () => assert.equal(hostOf(authority), host));
}
