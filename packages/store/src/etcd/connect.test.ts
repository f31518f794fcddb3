import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPromptVersion } from './connect.ts';

const ROWS: readonly [string, boolean][] = [
  ['3.4.23', false],
  ['3.4.30', false],
  ['3.4.31', true],
  ['3.5.12', false],
  ['3.5.13', true],
  ['3.5.16-rc.1', true],
  ['3.6.0', true],
  ['3.3.25', false],
  ['4.0.0', true],
  ['', false],
];

for (const [version, prompt] of ROWS) {
  test(`progress in order from etcd ${version}: ${prompt}`, () => assert.equal(isPromptVersion(version), prompt));
}
