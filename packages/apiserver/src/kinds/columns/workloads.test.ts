import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, cells, meta } from '../../testing/table.ts';
import type { TableRow } from '../../testing/table.ts';

const template = {
  metadata: { labels: { a: 'b' } },
  spec: {
    containers: [
      { name: 'c', image: 'i:1' },
      { name: 'd', image: 'j' },
    ],
  },
};
const selector = { matchLabels: { b: '2', a: '1' } };

const ROWS: readonly TableRow[] = [
  [
    'rc',
    'replicationcontrollers',
    {
      metadata: meta(),
      spec: { replicas: 3, selector: { a: 'b' }, template },
      status: { replicas: 2, readyReplicas: 1 },
    },
    ['x', 3, 2, 1, '90s', 'c,d', 'i:1,j', 'a=b'],
  ],
  [
    'rs',
    'replicasets.apps',
    { metadata: meta(), spec: { replicas: 3, selector, template }, status: { replicas: 3 } },
    ['x', 3, 3, 0, '90s', 'c,d', 'i:1,j', 'a=1,b=2'],
  ],
  [
    'deployment',
    'deployments.apps',
    {
      metadata: meta(),
      spec: { replicas: 3, selector, template },
      status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
    },
    ['x', '1/3', 2, 1, '90s', 'c,d', 'i:1,j', 'a=1,b=2'],
  ],
  [
    'daemon set',
    'daemonsets.apps',
    { metadata: meta(), spec: { selector, template }, status: { desiredNumberScheduled: 2 } },
    ['x', 2, 0, 0, 0, 0, '<none>', '90s', 'c,d', 'i:1,j', 'a=1,b=2'],
  ],
  [
    'stateful set',
    'statefulsets.apps',
    { metadata: meta(), spec: { replicas: 1, template } },
    ['x', '0/1', '90s', 'c,d', 'i:1,j'],
  ],
  [
    'job',
    'jobs.batch',
    { metadata: meta(), spec: { completions: 2, template, selector }, status: { succeeded: 1, startTime: at(80) } },
    ['x', 'Running', '1/2', '80s', '90s', 'c,d', 'i:1,j', 'a=1,b=2'],
  ],
  [
    'job done',
    'jobs.batch',
    {
      metadata: meta(),
      spec: { parallelism: 3, template },
      status: {
        succeeded: 3,
        startTime: at(80),
        completionTime: at(70),
        conditions: [{ type: 'Complete', status: 'True' }],
      },
    },
    ['x', 'Complete', '3/1 of 3', '10s', '90s', 'c,d', 'i:1,j', '<none>'],
  ],
  [
    'cron job',
    'cronjobs.batch',
    { metadata: meta(), spec: { schedule: '* * * * *', suspend: false, jobTemplate: { spec: { template } } } },
    ['x', '* * * * *', '<none>', 'False', 0, '<none>', '90s', 'c,d', 'i:1,j', '<none>'],
  ],
];

for (const [name, resource, object, expected] of ROWS) {
  test(name, () => assert.deepEqual(cells(resource, object, true), expected));
}
