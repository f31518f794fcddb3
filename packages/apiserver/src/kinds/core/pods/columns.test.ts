import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, cells, meta } from '../../../testing/table.ts';

const running = { ready: true, restartCount: 0, state: { running: {} } };
const pod = (status: object, spec: object = {}, more: object = {}): object => ({
  metadata: meta(more),
  spec: { containers: [{ name: 'a' }], ...spec },
  status,
});
const initialized = [{ type: 'Initialized', status: 'True' }];

describe('pods: ready, status, restarts', () => {
  const two = { initContainers: [{ name: 'i1' }, { name: 'i2' }] };
  const sidecar = { initContainers: [{ name: 's', restartPolicy: 'Always' }] };
  const ended = (exitCode: number, more: object = {}): object => ({
    state: { terminated: { exitCode, ...more } },
    restartCount: 0,
  });
  const rows: readonly (readonly [string, object, readonly [string, string, string]])[] = [
    ['new', pod({ phase: 'Pending' }), ['0/1', 'Pending', '0']],
    [
      'gated',
      pod({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }),
      ['0/1', 'SchedulingGated', '0'],
    ],
    [
      'creating',
      pod({
        phase: 'Pending',
        containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } }, restartCount: 0 }],
      }),
      ['0/1', 'ContainerCreating', '0'],
    ],
    ['running', pod({ phase: 'Running', containerStatuses: [running] }), ['1/1', 'Running', '0']],
    [
      'restarted',
      pod({
        phase: 'Running',
        containerStatuses: [
          { ...running, restartCount: 3, lastState: { terminated: { exitCode: 1, finishedAt: at(5) } } },
        ],
      }),
      ['1/1', 'Running', '3 (5s ago)'],
    ],
    [
      'crash loop',
      pod({
        phase: 'Running',
        containerStatuses: [
          {
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            restartCount: 2,
            lastState: { terminated: { exitCode: 1, finishedAt: at(65) } },
          },
        ],
      }),
      ['0/1', 'CrashLoopBackOff', '2 (65s ago)'],
    ],
    [
      'completed',
      pod({ phase: 'Succeeded', containerStatuses: [ended(0, { reason: 'Completed' })] }),
      ['0/1', 'Completed', '0'],
    ],
    ['exit code', pod({ phase: 'Failed', containerStatuses: [ended(3)] }), ['0/1', 'ExitCode:3', '0']],
    ['signal', pod({ phase: 'Failed', containerStatuses: [ended(137, { signal: 9 })] }), ['0/1', 'Signal:9', '0']],
    ['reason of its own', pod({ phase: 'Failed', reason: 'Evicted' }), ['0/1', 'Evicted', '0']],
    [
      'one completed, one running, ready',
      pod(
        {
          phase: 'Running',
          conditions: [{ type: 'Ready', status: 'True' }],
          containerStatuses: [ended(0, { reason: 'Completed' }), running],
        },
        { containers: [{ name: 'a' }, { name: 'b' }] },
      ),
      ['1/2', 'Running', '0'],
    ],
    [
      'one completed, one running, not ready',
      pod(
        { phase: 'Running', containerStatuses: [ended(0, { reason: 'Completed' }), running] },
        { containers: [{ name: 'a' }, { name: 'b' }] },
      ),
      ['1/2', 'NotReady', '0'],
    ],
    [
      'second init container',
      pod(
        {
          phase: 'Pending',
          initContainerStatuses: [
            { name: 'i1', ...ended(0) },
            { name: 'i2', state: { running: {} }, restartCount: 1 },
          ],
        },
        two,
      ),
      ['0/1', 'Init:1/2', '1'],
    ],
    [
      'init container failed',
      pod({ phase: 'Pending', initContainerStatuses: [{ name: 'i1', ...ended(1, { reason: 'Error' }) }] }, two),
      ['0/1', 'Init:Error', '0'],
    ],
    [
      'init container waits',
      pod(
        {
          phase: 'Pending',
          initContainerStatuses: [{ name: 'i1', state: { waiting: { reason: 'ImagePullBackOff' } }, restartCount: 0 }],
        },
        two,
      ),
      ['0/1', 'Init:ImagePullBackOff', '0'],
    ],
    [
      'sidecar counts',
      pod(
        {
          phase: 'Running',
          conditions: initialized,
          initContainerStatuses: [{ name: 's', ...running, started: true, restartCount: 4 }],
          containerStatuses: [running],
        },
        sidecar,
      ),
      ['2/2', 'Running', '4'],
    ],
    [
      'restarts of init containers are forgotten',
      pod(
        {
          phase: 'Running',
          conditions: initialized,
          initContainerStatuses: [{ name: 'i1', ...ended(0), restartCount: 7 }],
          containerStatuses: [running],
        },
        two,
      ),
      ['1/1', 'Running', '0'],
    ],
    [
      'terminating',
      pod({ phase: 'Running', containerStatuses: [running] }, {}, { deletionTimestamp: at(1) }),
      ['1/1', 'Terminating', '0'],
    ],
    [
      'node lost',
      pod({ phase: 'Running', reason: 'NodeLost' }, {}, { deletionTimestamp: at(1) }),
      ['0/1', 'Unknown', '0'],
    ],
    [
      'terminal and deleted',
      pod(
        { phase: 'Succeeded', containerStatuses: [ended(0, { reason: 'Completed' })] },
        {},
        { deletionTimestamp: at(1) },
      ),
      ['0/1', 'Completed', '0'],
    ],
  ];
  for (const [name, object, expected] of rows) {
    test(name, () => assert.deepEqual(cells('pods', object).slice(1, 4), expected));
  }
  test('wide', () => {
    const object = pod(
      { phase: 'Running', podIPs: [{ ip: '10.1.0.2' }], conditions: [{ type: 'g', status: 'True' }] },
      { nodeName: 'n1', readinessGates: [{ conditionType: 'g' }, { conditionType: 'h' }] },
    );
    assert.deepEqual(cells('pods', object, true), [
      'x',
      '0/1',
      'Running',
      '0',
      '90s',
      '10.1.0.2',
      'n1',
      '<none>',
      '1/2',
    ]);
  });
});
