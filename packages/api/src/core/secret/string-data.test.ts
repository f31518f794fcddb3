import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Draft } from '../../draft.ts';
import type { Secret } from '../../generated/core-v1.ts';
import { foldStringData } from './string-data.ts';

it('folds text into data, whatever its key is called', () => {
  const secret = JSON.parse(
    '{"metadata":{},"stringData":{"a":"b","__proto__":"c"},"data":{"a":"eA=="}}',
  ) as Draft<Secret>;
  foldStringData(secret);
  assert.equal(JSON.stringify(secret), '{"metadata":{},"data":{"a":"Yg==","__proto__":"Yw=="}}');
});
