import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetworkError } from '../errors.ts';
import { linesText } from './run-tool.ts';

test('a line that is several is told to no tool', () => {
  assert.equal(linesText(['route a', 'route b']), 'route a\nroute b\n');
  assert.throws(() => linesText(['route a', 'route b\nlink del eth0']), NetworkError);
});
