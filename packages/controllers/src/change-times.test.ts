import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Pod, Service } from '@binnacle/api/core/v1';
import { ChangeTimes } from './change-times.ts';

const at = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`;
const service: Service = { metadata: { name: 's', namespace: 'ns', creationTimestamp: at(5) }, spec: {} };
const pod = (name: string, minute?: number): Pod => ({
  metadata: { name, namespace: 'ns' },
  spec: { containers: [] },
  status: {
    conditions: minute === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: at(minute) }],
  },
});

test('the earliest of what is new since the sync before', () => {
  const times = new ChangeTimes();
  for (const [name, pods, expected] of [
    ['all is new', [pod('a', 7), pod('b', 3)], at(3)],
    ['nothing is new', [pod('a', 7), pod('b', 3)], undefined],
    ['one turned', [pod('a', 9), pod('b', 3)], at(9)],
    ['two turned', [pod('a', 12), pod('b', 11)], at(11)],
    ['one went', [pod('a', 12)], undefined],
    ['one came back as it was', [pod('a', 12), pod('b', 11)], at(11)],
    ['one without a condition', [pod('a', 12), pod('b', 11), pod('c')], undefined],
  ] as const) {
    assert.equal(times.earliestChange(service, pods), expected, name);
  }
  times.forget('ns/s');
  assert.equal(times.earliestChange(service, []), at(5));
});
