import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultDataDir, downCommand } from './data-dir.ts';

const ROWS: readonly [root: string, command: string][] = [
  [defaultDataDir(), 'binnacle down'],
  ['/tmp/a-b.c', 'binnacle down --data-dir /tmp/a-b.c'],
  ["/tmp/it's here", "binnacle down --data-dir '/tmp/it'\\''s here'"],
];

for (const [root, command] of ROWS) {
  test(`how the cluster in ${root} is stopped`, () => assert.equal(downCommand(root), command));
}
