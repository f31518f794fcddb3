import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { containerRows } from './container-rows.ts';

const metadata = { name: 'a', resourceVersion: '1' };
const of = (parts: object) => containerRows({ apiVersion: 'v1', kind: 'X', metadata, ...parts });
const web = { name: 'web', image: 'nginx' };

test('of a pod: each with how it stands', () => {
  const rows = of({
    spec: {
      containers: [web, { name: 'late', image: 'b' }],
      initContainers: [
        { name: 'first', image: 'i' },
        { name: 'proxy', image: 's', restartPolicy: 'Always' },
      ],
      ephemeralContainers: [{ name: 'debug', image: 'd' }],
    },
    status: {
      containerStatuses: [
        {
          ...{ name: 'web', ready: false, restartCount: 3 },
          state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s' } },
          lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
        },
      ],
      initContainerStatuses: [
        { name: 'proxy', ready: true, restartCount: 0, state: { running: { startedAt: 'x' } }, lastState: {} },
      ],
    },
  });
  deepEqual(rows, [
    {
      ...{ name: 'web', sort: 'main', image: 'nginx' },
      status: {
        ...{ isReady: false, restarts: 3, state: 'Waiting: CrashLoopBackOff', message: 'back-off 40s' },
        last: 'Terminated: OOMKilled (137)',
      },
    },
    { name: 'late', sort: 'main', image: 'b' },
    { name: 'first', sort: 'init', image: 'i' },
    {
      ...{ name: 'proxy', sort: 'sidecar', image: 's' },
      status: { isReady: true, restarts: 0, state: 'Running', message: '', last: '' },
    },
    { name: 'debug', sort: 'ephemeral', image: 'd' },
  ]);
});

const row = [{ name: 'web', sort: 'main', image: 'nginx' }];
const spec = { containers: [web] };
for (const [name, parts, rows] of [
  ['a template', { spec: { template: { spec } } }, row],
  ['a template of templates', { spec: { jobTemplate: { spec: { template: { spec } } } } }, row],
  ['nothing', {}, []],
  ['no objects', { spec: { containers: 'x', initContainers: [null, 1, 'a', []] }, status: 5 }, []],
  [
    'fields of other shapes',
    { spec: { containers: [{ name: {}, image: [] }] }, status: { containerStatuses: [{ name: 1 }] } },
    [{ name: '', sort: 'main', image: '' }],
  ],
] as const) {
  test(`of ${name}`, () => deepEqual(of(parts), rows));
}
