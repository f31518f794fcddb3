import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PluginError } from './plugin-error.ts';

test('a refusal reads as upstream prints it', () => {
  assert.equal(new PluginError(13, 'no disk').message, 'rpc error: code = Internal desc = no disk');
  assert.equal(new PluginError(99, 'odd').message, 'rpc error: code = Code(99) desc = odd');
});
