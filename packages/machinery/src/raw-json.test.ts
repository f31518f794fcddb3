import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rawJson, rawNumber } from './raw-json.ts';

it('keeps digits, and tells them from anything else', () => {
  assert.equal(JSON.stringify([rawJson('12345678901234567890')]), '[12345678901234567890]');
  assert.equal(rawNumber(rawJson('12345678901234567890')), '12345678901234567890');
  for (const other of [1, '1', null, undefined, {}, { rawJSON: '1' }, []]) assert.equal(rawNumber(other), undefined);
});
