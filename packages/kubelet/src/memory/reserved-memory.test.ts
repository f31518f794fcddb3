import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numaNodes } from '../testing/giving.ts';
import { checkReserved } from './reserved-memory.ts';

const rows: readonly [string, readonly [number, string, number][], number, RegExp | undefined][] = [
  [
    'as much as the node keeps',
    [
      [0, 'memory', 60],
      [1, 'memory', 40],
    ],
    100,
    undefined,
  ],
  ['less', [[0, 'memory', 60]], 100, /the total amount "60" of type "memory" is not equal to the value "100"/],
  ['none', [], 0, /you should specify the system reserved memory/],
  ['of a node that is not there', [[7, 'memory', 100]], 100, /references a NUMA node 7 that does not exist/],
  [
    'huge pages, which nobody keeps',
    [
      [0, 'memory', 100],
      [0, 'hugepages-2Mi', 5],
    ],
    100,
    /of type "hugepages-2Mi"/,
  ],
];

for (const [name, all, reservedBytes, message] of rows) {
  test(`memory reserved by node: ${name}`, () => {
    const reserved = new Map<number, Map<string, number>>();
    for (const [id, resource, bytes] of all) reserved.set(id, (reserved.get(id) ?? new Map()).set(resource, bytes));
    const check = (): void => checkReserved({ nodes: numaNodes(2), reserved, reservedBytes });
    if (message === undefined) check();
    else assert.throws(check, { message });
  });
}
