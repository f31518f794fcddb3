import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodStatus } from '@binnacle/api/core/v1';
import { statusPatch } from './diff.ts';

const ready = { type: 'Ready', status: 'True', lastTransitionTime: 't' };

const rows: readonly [string, PodStatus | undefined, PodStatus, object | undefined][] = [
  ['nothing new', { phase: 'Running', conditions: [ready] }, { phase: 'Running', conditions: [ready] }, undefined],
  ['zero values are absent', { phase: 'Running', podIPs: [], message: '' }, { phase: 'Running' }, undefined],
  ['from nothing', undefined, { phase: 'Pending' }, { phase: 'Pending' }],
  [
    'only the condition that changed',
    { conditions: [ready, { type: 'A', status: 'True' }] },
    {
      conditions: [
        { ...ready, status: 'False' },
        { type: 'A', status: 'True' },
      ],
    },
    { conditions: [{ ...ready, status: 'False' }] },
  ],
  [
    'a reason that is gone',
    { conditions: [{ ...ready, reason: 'X' }] },
    { conditions: [ready] },
    { conditions: [{ ...ready, reason: null }] },
  ],
  [
    'another address',
    { podIP: 'a', podIPs: [{ ip: 'a' }] },
    { podIP: 'b', podIPs: [{ ip: 'b' }] },
    { podIP: 'b', podIPs: [{ ip: 'b' }, { $patch: 'delete', ip: 'a' }] },
  ],
  ['a field that is gone', { reason: 'X' }, {}, { reason: null }],
  ["what is not the kubelet's stays", { qosClass: 'Burstable', nominatedNodeName: 'n' }, {}, undefined],
  [
    'container statuses go whole',
    { containerStatuses: [] },
    { containerStatuses: [{ name: 'a', ready: true, restartCount: 0, image: '', imageID: '' }] },
    { containerStatuses: [{ name: 'a', ready: true, restartCount: 0, image: '', imageID: '' }] },
  ],
];

for (const [name, before, after, wanted] of rows)
  test(`patch: ${name}`, () => assert.deepEqual(statusPatch(before, after), wanted));
