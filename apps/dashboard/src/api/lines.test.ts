import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { Lines } from './lines.ts';

test('lines are whole wherever the pieces are cut', () => {
  const lines = new Lines();
  deepEqual(lines.take('{"a":'), []);
  deepEqual(lines.take('1}\n{"b"'), ['{"a":1}']);
  deepEqual(lines.take(':2}\n\n{}\n'), ['{"b":2}', '{}']);
});
