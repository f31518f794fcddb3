import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { formatTime } from '@binnacle/base';
import type { Pod, PodStatus } from '@binnacle/api/core/v1';
import { groupPods } from './samples.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const YOUTH = { cpuInitializationMs: 300_000, initialReadinessMs: 30_000 };
const ago = (seconds: number): string => formatTime(NOW - seconds * 1000);

interface Row {
  readonly name: string;
  readonly status: PodStatus;
  readonly goes?: true;
  readonly measured?: false;
  /** Seconds ago; its window is 60 s. */
  readonly at?: number;
  readonly resource?: string;
  readonly expected: 'ready' | 'unready' | 'missing' | 'ignored';
}

const running = (startedAgo: number, ready: 'True' | 'False', turnedAgo: number): PodStatus => ({
  phase: 'Running',
  startTime: ago(startedAgo),
  conditions: [{ type: 'Ready', status: ready, lastTransitionTime: ago(turnedAgo) }],
});

const ROWS: readonly Row[] = [
  { name: 'old and ready', status: running(3600, 'True', 3500), expected: 'ready' },
  { name: 'not measured', status: running(3600, 'True', 3500), measured: false, expected: 'missing' },
  { name: 'pending', status: { phase: 'Pending' }, expected: 'unready' },
  { name: 'failed', status: { phase: 'Failed' }, expected: 'ignored' },
  { name: 'to go', status: running(3600, 'True', 3500), goes: true, expected: 'ignored' },
  { name: 'young, not ready', status: running(60, 'False', 60), expected: 'unready' },
  { name: 'young, ready for less than a window', status: running(100, 'True', 30), expected: 'unready' },
  { name: 'young, ready for a window', status: running(200, 'True', 100), expected: 'ready' },
  { name: 'old, never ready', status: running(3600, 'False', 3595), expected: 'unready' },
  { name: 'old, was ready once', status: running(3600, 'False', 100), expected: 'ready' },
  { name: 'nothing known of its readiness', status: { phase: 'Running' }, expected: 'unready' },
  { name: 'young, and memory is measured', status: running(10, 'False', 10), resource: 'memory', expected: 'ready' },
];

for (const { name, status, goes, measured = true, at = 10, resource = 'cpu', expected } of ROWS) {
  test(`a pod of a target: ${name}`, () => {
    const metadata = { name: 'p', ...(goes ? { deletionTimestamp: ago(1) } : {}) };
    const pod: Pod = { metadata, spec: { containers: [] }, status };
    const sample = { milli: 5, atMs: NOW - at * 1000, windowMs: 60_000 };
    const samples = new Map(measured ? [['p', sample]] : []);
    const groups = groupPods([pod], samples, { resource, nowMs: NOW, youth: YOUTH });
    const found =
      groups.ready === 1
        ? 'ready'
        : groups.unready.length > 0
          ? 'unready'
          : groups.missing.length > 0
            ? 'missing'
            : 'ignored';
    assert.equal(found, expected);
    assert.equal(groups.counted.size, expected === 'ready' ? 1 : 0);
  });
}
