import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPod } from '../testing/node.ts';
import { resourceMetrics } from './resource-metrics.ts';

const NOW = 9_000;
const containerOf = (id: string) => ({
  name: id,
  containerID: `containerd://${id}`,
  state: { running: { startedAt: '1970-01-01T00:00:01Z' } },
});

/** Lines of one family, without its heading. */
async function linesOf(family: string, readAt: readonly number[]): Promise<string[]> {
  const ids = readAt.map((_, n) => `c${n}`);
  const status = { containerStatuses: ids.map(containerOf) } as never;
  const stats = readAt.map((at, n) => ({
    ...{ id: `c${n}`, at, cpuUsageNanos: 2e9, memoryWorkingSetBytes: 5, memoryUsageBytes: 5 },
  }));
  const kubelet = {
    pods: () => [{ pod: testPod(), status }],
    stats: () => Promise.resolve(stats),
    usage: () => Promise.resolve(undefined),
  };
  const text = await resourceMetrics(kubelet, NOW);
  return text.split('\n').filter((line) => line.startsWith(`${family}{`) || line.startsWith(`${family} `));
}

const ROWS: readonly [what: string, family: string, readAt: readonly number[], end: RegExp][] = [
  ['a pod carries the time of its last reading', 'pod_cpu_usage_seconds_total', [8_500, 8_700], / 4 8700$/],
  ['a node without a word of its own does too', 'node_cpu_usage_seconds_total', [8_700, 8_500], / 4 8700$/],
  ['a node where nothing runs carries the time of the question', 'node_cpu_usage_seconds_total', [], / 0 9000$/],
];
for (const [what, family, readAt, end] of ROWS) {
  test(what, async () => {
    const lines = await linesOf(family, readAt);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', end);
  });
}
