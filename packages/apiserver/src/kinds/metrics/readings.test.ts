import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from '@binnacle/base/testing';
import { parseReadings, usageBetween } from './readings.ts';

const TEXT = `# HELP node_cpu_usage_seconds_total x
# TYPE node_cpu_usage_seconds_total counter
container_cpu_usage_seconds_total{container="c",namespace="ns",pod="p"} 1.5 2000
container_memory_working_set_bytes{container="c",namespace="ns",pod="p"} 4096 2000
container_start_time_seconds{container="c",namespace="ns",pod="p"} 1.25 2000
container_cpu_usage_seconds_total{container="half",namespace="ns",pod="p"} 1 2000
node_cpu_usage_seconds_total 7 2000
node_memory_working_set_bytes 8192 2000
something_else{a="b"} 1
node_cpu_usage_seconds_total NaN
constructor 1
`;

test('lines are read, what is not whole is left out', () => {
  const { node, pods } = parseReadings(TEXT, 9_000);
  assert.deepEqual(node, { at: 2_000, cpuSeconds: 7, memoryBytes: 8192 });
  const container = { at: 2_000, cpuSeconds: 1.5, memoryBytes: 4096, startedAt: 1_250 };
  assert.deepEqual(
    [...pods].map(([pod, all]) => [pod, [...all]]),
    [['ns/p', [['c', container]]]],
  );
  assert.equal(parseReadings('', 1).node, undefined);
  assert.equal(parseReadings('node_cpu_usage_seconds_total 1\nnode_memory_working_set_bytes 1\n', 5).node?.at, 5);
});

test('a line of any length is read in one go', () => {
  const long = `container_cpu_usage_seconds_total{container="${'\\"'.repeat(100_000)}`;
  const ms = cpuMs(() => parseReadings(`${long}\n`.repeat(5), 1));
  assert.ok(ms < 2_000, `${ms}`);
});

const at = (ms: number, cpuSeconds: number, startedAt?: number) => ({
  at: ms,
  cpuSeconds,
  memoryBytes: 1,
  ...(startedAt === undefined ? {} : { startedAt }),
});
const rows: readonly [string, ReturnType<typeof usageBetween>, readonly [cpu: number, window: number] | undefined][] = [
  ['half a CPU over ten seconds', usageBetween(at(0, 1), at(10_000, 6)), [500_000_000, 10_000]],
  ['it began in between', usageBetween(at(0, 99), at(10_000, 1, 8_000)), [500_000_000, 2_000]],
  ['it was not there before', usageBetween(undefined, at(10_000, 1, 9_000)), [1_000_000_000, 1_000]],
  ['nothing before, and no start', usageBetween(undefined, at(10_000, 1)), undefined],
  ['it is gone', usageBetween(at(0, 1), undefined), undefined],
  ['no time between', usageBetween(at(5, 1), at(5, 2)), undefined],
  ['the counter went back', usageBetween(at(0, 5), at(10, 4)), undefined],
];
for (const [name, usage, wanted] of rows)
  test(`usage: ${name}`, () => assert.deepEqual(usage && [usage.cpuNanoCores, usage.windowMs], wanted));
