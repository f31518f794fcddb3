import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodCondition, PodStatus } from '@binnacle/api/core/v1';
import { sinceKnown } from './since-known.ts';

const NOW = '2026-01-01T00:00:30Z';
const EARLY = '2026-01-01T00:00:10Z';
const LATE = '2026-01-01T00:00:20Z';
const is = (type: string, status: string, lastTransitionTime?: string): PodCondition => ({
  type,
  status,
  ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
});

const ROWS: readonly { name: string; known: PodStatus | undefined; told: PodStatus; wanted: PodStatus }[] = [
  {
    name: 'nothing is known',
    known: undefined,
    told: { conditions: [is('Ready', 'True', LATE)] },
    wanted: { conditions: [is('Ready', 'True', LATE)] },
  },
  {
    name: 'no conditions are told',
    known: { conditions: [is('Ready', 'True', EARLY)] },
    told: { phase: 'Failed' },
    wanted: { phase: 'Failed' },
  },
  {
    name: 'what is as it was stands since it was',
    known: { conditions: [is('Ready', 'True', EARLY)] },
    told: { phase: 'Running', conditions: [is('Ready', 'True', LATE)] },
    wanted: { phase: 'Running', conditions: [is('Ready', 'True', EARLY)] },
  },
  {
    name: 'what changed, changed now, whatever an older object says',
    known: { conditions: [is('Ready', 'False', LATE)] },
    told: { conditions: [is('Ready', 'True', EARLY)] },
    wanted: { conditions: [is('Ready', 'True', NOW)] },
  },
  {
    name: 'each for itself, new ones as they are told',
    known: { conditions: [is('Ready', 'True', EARLY), is('Initialized', 'True')] },
    told: { conditions: [is('__proto__', 'True', LATE), is('Initialized', 'True', LATE), is('Ready', 'True', LATE)] },
    wanted: {
      conditions: [is('__proto__', 'True', LATE), is('Initialized', 'True', LATE), is('Ready', 'True', EARLY)],
    },
  },
];

for (const row of ROWS) {
  test(`since when a condition stands: ${row.name}`, () =>
    assert.deepEqual(sinceKnown(row.known, row.told, NOW), row.wanted));
}
