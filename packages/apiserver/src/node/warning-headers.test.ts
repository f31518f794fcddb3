import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { warningHeaders } from './warning-headers.ts';

test('a warning is quoted, and what does not print is no header', () => {
  deepEqual(warningHeaders(['a "b" \\ c', 'é\r\nx: y']), ['299 - "a \\"b\\" \\\\ c"', '299 - "???x: y"']);
});

test('few long texts are whole; of many, each is cut, and the last are left out', () => {
  equal(warningHeaders(['x'.repeat(4096)])[0]?.length, 4096 + '299 - ""'.length);
  const cut = warningHeaders(Array.from({ length: 40 }, (_, at) => `${at}`.padEnd(1000, 'x')));
  equal(cut.length, 16);
  equal(cut.join('').length, 16 * (256 + '299 - ""'.length));
});
