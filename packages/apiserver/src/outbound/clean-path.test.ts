import assert from 'node:assert/strict';
import test from 'node:test';
import { cleanPath, withCleanPath } from './clean-path.ts';

const PATHS: readonly [from: string, to: string][] = [
  ['', '/'],
  ['/', '/'],
  ['validate', '/validate'],
  ['//validate', '/validate'],
  ['/validate/', '/validate'],
  ['/a//b/./c/../d', '/a/b/d'],
  ['/../..', '/'],
  ['/a%2Fb//c', '/a%2Fb/c'],
];

for (const [from, to] of PATHS) {
  test(`the path ${JSON.stringify(from)} is asked as ${to}`, () => assert.equal(cleanPath(from), to));
}

test('a URL keeps its host and its query', () => {
  assert.equal(withCleanPath('https://h:8443//v/?a=b').href, 'https://h:8443/v?a=b');
  assert.equal(withCleanPath('https://h').href, 'https://h/');
});
