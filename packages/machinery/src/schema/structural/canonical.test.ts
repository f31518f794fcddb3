import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rawJson } from '../../raw-json.ts';
import { canonicalText } from './canonical.ts';

it('is the same for equal values, and differs for others', () => {
  assert.equal(canonicalText({ b: [1, null], a: 'x' }), canonicalText({ a: 'x', b: [1, null] }));
  assert.equal(canonicalText({ a: rawJson('12345678901234567890') }), '{"a":12345678901234567890}');
  assert.notEqual(canonicalText('1'), canonicalText(1));
  assert.notEqual(canonicalText(['a', 'b']), canonicalText(['b', 'a']));
});
