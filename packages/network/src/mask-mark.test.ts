import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { maskMark } from './mask-mark.ts';

void test('a mark has one bit, the highest one too', () => {
  equal(maskMark({ masqueradeBit: 14 }), '0x4000');
  equal(maskMark({ masqueradeBit: 31 }), '0x80000000');
});
