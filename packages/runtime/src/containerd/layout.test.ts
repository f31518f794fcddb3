import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RuntimeError } from '../errors.ts';
import { layoutOf } from './layout.ts';

test('everything of ours is below one folder', () => {
  const layout = layoutOf('/data/ctd');
  const own = [layout.config, layout.root, layout.socket, layout.namespace, ...layout.standIns.map((s) => s.own)];
  assert.ok(own.every((path) => path.startsWith('/data/ctd/')));
});

test('a folder too deep for a unix socket is refused', () => {
  assert.throws(() => layoutOf(`/${'x'.repeat(100)}`), RuntimeError);
});
