import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, cells, meta } from '../../../testing/table.ts';
import type { TableRow } from '../../../testing/table.ts';

const ROWS: readonly TableRow[] = [
  [
    'event',
    'events',
    {
      metadata: meta(),
      involvedObject: { kind: 'Pod', name: 'p', fieldPath: 'spec' },
      reason: 'Pulled',
      message: ' ok\n',
      type: 'Normal',
      count: 2,
      firstTimestamp: at(60),
      lastTimestamp: at(30),
      source: { component: 'kubelet', host: 'n1' },
    },
    ['30s', 'Normal', 'Pulled', 'pod/p', 'spec', 'kubelet, n1', 'ok', '60s', 2, 'x'],
  ],
  [
    'event of the new form',
    'events',
    {
      metadata: meta(),
      involvedObject: { kind: 'Node' },
      eventTime: at(40),
      reportingComponent: 'c',
      series: { count: 9, lastObservedTime: at(3) },
    },
    ['3s', '', '', 'node', '', 'c', '', '40s', 9, 'x'],
  ],
];

for (const [name, resource, object, expected] of ROWS) {
  test(name, () => assert.deepEqual(cells(resource, object, true), expected));
}
