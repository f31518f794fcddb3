import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { DeviceTaint, DeviceToleration } from '@binnacle/api/resource/v1';
import { evictionTimeMs } from './decide.ts';

const NOW = Date.UTC(2026, 0, 1, 1);
const SINCE = Date.UTC(2026, 0, 1);
const taint = (more: Partial<DeviceTaint> = {}): DeviceTaint => ({
  key: 'k',
  value: 'v',
  effect: 'NoExecute',
  timeAdded: new Date(SINCE).toISOString(),
  ...more,
});

for (const [name, taints, tolerations, expected] of [
  ['no taint', [], [], undefined],
  ['nobody publishes the device', undefined, [], undefined],
  ['a taint against new pods only', [taint({ effect: 'NoSchedule' })], [], undefined],
  ['not tolerated', [taint()], [], SINCE],
  ['not tolerated, nobody knows since when', [{ key: 'k', effect: 'NoExecute' }], [], NOW],
  ['tolerated', [taint()], [{ key: 'k', operator: 'Exists' }], undefined],
  ['tolerated by value', [taint()], [{ key: 'k', value: 'v' }], undefined],
  ['another value', [taint()], [{ key: 'k', value: 'w' }], SINCE],
  ['another effect', [taint()], [{ operator: 'Exists', effect: 'NoSchedule' }], SINCE],
  ['for a while', [taint()], [{ operator: 'Exists', tolerationSeconds: 60 }], SINCE + 60_000],
  [
    'the shorter of two',
    [taint()],
    [
      { operator: 'Exists', tolerationSeconds: 90 },
      { operator: 'Exists', tolerationSeconds: 60 },
    ],
    SINCE + 60_000,
  ],
  [
    'for ever by one of two',
    [taint()],
    [{ operator: 'Exists', tolerationSeconds: 60 }, { operator: 'Exists' }],
    undefined,
  ],
  ['for no time at all', [taint()], [{ operator: 'Exists', tolerationSeconds: -5 }], SINCE],
] as readonly (readonly [string, DeviceTaint[] | undefined, DeviceToleration[], number | undefined])[]) {
  for (const adminAccess of [false, true])
    test(`when users of a device leave${adminAccess ? ' (its admin)' : ''}: ${name}`, () => {
      const results = [{ request: 'r', driver: 'd', pool: 'p', device: 'x', tolerations, adminAccess }];
      const claim = {
        metadata: {},
        spec: { devices: { requests: [] } },
        status: { allocation: { devices: { results } } },
      };
      assert.equal(
        evictionTimeMs(claim, () => taints, NOW),
        expected,
      );
    });
}
