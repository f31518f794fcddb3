import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from '@binnacle/base/testing';
import { Lines } from './lines.ts';

test('lines are whole wherever the pieces are cut', () => {
  const lines = new Lines();
  deepEqual(lines.take('{"a":'), []);
  deepEqual(lines.take('1}\n{"b"'), ['{"a":1}']);
  deepEqual(lines.take(':2}\n\n{}\n'), ['{"b":2}', '{}']);
});

test('a line of fifty megabytes in small pieces costs no more than its length', () => {
  const lines = new Lines();
  const piece = 'x'.repeat(1000);
  const ms = cpuMs(() => {
    for (let at = 0; at < 50_000; at++) lines.take(piece);
    equal(lines.take('\n')[0]?.length, 50_000_000);
  });
  ok(ms < 5000, `${ms} ms`);
});
