import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { distinctKeys } from './distinct-keys.ts';

const ROWS: readonly (readonly [name: string, names: readonly (string | undefined)[], keys: readonly string[]])[] = [
  ['nothing', [], []],
  ['names', ['a', 'b'], ['a', 'b']],
  ['no names', [undefined, undefined], ['0', '1']],
  ['a name twice', ['a', 'b', 'a'], ['a#0', 'b', 'a#2']],
  ['a name that objects have', ['constructor', 'x'], ['constructor', 'x']],
];
for (const [name, names, keys] of ROWS) test(name, () => deepEqual(distinctKeys(names), keys));
