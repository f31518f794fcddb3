import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCause } from './cause-header.ts';

const rows: { name: string; text: string; cause: ReturnType<typeof parseCause> }[] = [
  {
    name: 'complete',
    text: 'rc/default/a@42;replication-controller;42',
    cause: { id: 'rc/default/a@42', component: 'replication-controller', request: '', revision: '42' },
  },
  { name: 'no revision', text: 'x;kubelet;', cause: { id: 'x', component: 'kubelet', request: '' } },
  {
    name: 'a component of a node, whose name has a space',
    text: 'kubelet n-1/default/p@7;kubelet n-1;7',
    cause: { id: 'kubelet n-1/default/p@7', component: 'kubelet n-1', request: '', revision: '7' },
  },
  { name: 'not of the form', text: 'x', cause: undefined },
  { name: 'too long', text: `${'x'.repeat(601)};a;1`, cause: undefined },
  { name: 'a control character', text: 'x;a\nb;1', cause: undefined },
];

for (const row of rows) test(row.name, () => assert.deepEqual(parseCause(row.text), row.cause));
