import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { warningsOf } from './request.ts';

test('texts of warnings', () => {
  deepEqual(warningsOf(null), []);
  deepEqual(warningsOf('299 - "a \\"b\\" c", 299 - "d, e"'), ['a "b" c', 'd, e']);
});
