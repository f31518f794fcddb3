import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cpuMs } from '@binnacle/base/testing';
import { readingsOf, rulePaths } from './path-readings.ts';

const READINGS: readonly (readonly [name: string, path: string, readings: readonly string[] | undefined])[] = [
  ['plain', '/a/b.c', ['/a/b.c']],
  ['the root', '/', ['/']],
  ['slashes in a row', '//admin///x//', ['/admin/x/']],
  ['only slashes', '///', ['/']],
  ['escaped letters', '/%40me/%C3%A4', ['/@me/\u00c3\u00a4']],
  ['letters in bytes', '/\u00c3\u00a4', ['/\u00c3\u00a4']],
  ['an escaped slash', '/x%2Fadmin', ['/x%2Fadmin', '/x/admin']],
  ['an escaped slash beside another', '/x/%2F/admin', ['/x/%2F/admin', '/x/admin']],
  ['twice escaped', '/x%252Fadmin', ['/x%252Fadmin']],
  ['a broken escape', '/100%', ['/100%25']],
  ['its mark escaped', '/100%25', ['/100%25']],
  ['a backslash', '/x%5Cadmin', ['/x\\admin', '/x/admin']],
  ['parameters', '/admin;a=b/x;c', ['/admin;a=b/x;c', '/admin/x']],
  ['parameters, escaped', '/admin%3Bx', ['/admin;x', '/admin']],
  ['parameters of nothing', '/;/admin', ['/;/admin', '/admin']],
  ['parameters with an escaped slash', '/x;%2Fy/z', ['/x;%2Fy/z', '/x;/y/z', '/x/y/z', '/x/z']],
  [
    'parameters with one, and another',
    '/x;%2Fy/a%2Fb',
    ['/x;%2Fy/a%2Fb', '/x;/y/a/b', '/x/y/a/b', '/x/a%2Fb', '/x/a/b'],
  ],
  ['parameters with a backslash', '/x;%5Cy', ['/x;\\y', '/x/y', '/x']],
  ['up behind an escaped slash', '/public/..%2Fadmin', undefined],
  ['up before one', '/public%2F../admin', undefined],
  ['here', '/public/.%2Fx', undefined],
  ['up with parameters', '/public/..;/admin', undefined],
  ['up with parameters, escaped', '/public/..%3Ba=b/admin', undefined],
  ['up with a backslash', '/public/..%5Cadmin', undefined],
  ['up at the end', '/public/..;x', undefined],
  ['three dots are a name', '/public/...;x', ['/public/...;x', '/public/...']],
];

for (const [name, path, readings] of READINGS) {
  test(`readings: ${name}`, () => assert.deepEqual(readingsOf(path), readings));
}

const RULES: readonly (readonly [name: string, path: string, paths: readonly string[]])[] = [
  ['plain', '/a/b', ['/a/b']],
  ['letters that are not ASCII', '/\u00e4', ['/\u00c3\u00a4']],
  ['the same, escaped', '/%C3%A4', ['/\u00c3\u00a4']],
  ['half a letter', '/\ud800', ['/\u00ef\u00bf\u00bd']],
  ['an escaped slash', '/a%2fb', ['/a%2Fb', '/a/b']],
  ['parameters are its own', '/a;b', ['/a;b']],
];

for (const [name, path, paths] of RULES) {
  test(`paths of a rule: ${name}`, () => assert.deepEqual(rulePaths(path), paths));
}

test('no reading has two slashes in a row, a way up, or another letter than bytes have', () => {
  const part = fc.constantFrom('/', 'a', '.', '..', ';', '%2F', '%2E', '%5C', '\\', '%', '%25', '%3B', '\u00e4', '%00');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      for (const reading of readingsOf(`/${parts.join('')}`) ?? []) {
        assert.ok(reading.startsWith('/'), reading);
        assert.ok(!reading.includes('//'), reading);
        assert.equal(Buffer.from(reading, 'latin1').toString('latin1'), reading);
      }
    }),
    { seed: 11, numRuns: 2000 },
  );
});

test('a path of many parts is read in a time that grows with it', () => {
  for (const part of ['//', '%2F', ';a', '%5C', '..;', '%']) {
    const path = `/${part.repeat(200_000)}`;
    const ms = cpuMs(() => readingsOf(path));
    assert.ok(ms < 2000, `${part}: ${ms}`);
  }
});
