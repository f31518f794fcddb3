import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processMetrics } from './process-metrics.ts';

test('the figures of this process', () => {
  const rows = new Map(processMetrics(Date.now()).map(([name, , value]) => [name, value]));
  const started = rows.get('process_start_time_seconds') ?? 0;
  assert.ok(Math.abs(started - (Date.now() / 1000 - process.uptime())) < 5);
  assert.ok((rows.get('process_cpu_seconds_total') ?? 0) > 0);
  assert.ok((rows.get('process_resident_memory_bytes') ?? 0) > 1 << 20);
  for (const [name, value] of rows) assert.ok(Number.isFinite(value) && value > 0, `${name} ${value}`);
  if (process.platform === 'linux') assert.ok((rows.get('process_open_fds') ?? 0) < (rows.get('process_max_fds') ?? 0));
});
