import assert from 'node:assert/strict';
import { test } from 'node:test';
import { safeInHtml } from './safe-in-html.ts';

test('marks of HTML, and ends of lines that are none in JSON, are escaped as Go has it', () => {
  assert.equal(safeInHtml('{"<a>":"&\u2028\u2029/\'"}'), '{"\\u003ca\\u003e":"\\u0026\\u2028\\u2029/\'"}');
});
