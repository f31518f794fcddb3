import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@binnacle/base/node';
import { openSqliteStore } from '../src/sqlite.ts';

/**
 * How long the store on disk takes to open, empty and with keys of a pod's size, and what it costs in memory:
 *
 *     node packages/store/bench/start.ts [keys]
 */
const VALUE_BYTES = 1800;
const [count = '10000'] = process.argv.slice(2);
const directory = await mkdtemp(join(tmpdir(), 'store-bench-'));
const path = join(directory, 'store.db');

function rssMb(): number {
  return Number((process.memoryUsage().rss / 1e6).toFixed(1));
}

async function timedOpen(name: string): Promise<Awaited<ReturnType<typeof openSqliteStore>>> {
  const before = rssMb();
  const start = performance.now();
  const store = await openSqliteStore({ path, clock: realClock });
  const value = Number((performance.now() - start).toFixed(1));
  process.stdout.write(`${JSON.stringify({ name, value, unit: 'ms', rssMbBefore: before, rssMbAfter: rssMb() })}\n`);
  return store;
}

try {
  const first = await timedOpen('open, empty');
  for (let i = 0; i < Number(count); i += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, k) => {
        const value = new Uint8Array(VALUE_BYTES).fill(120);
        const key = `/registry/pods/default/pod-${i + k}`;
        return first.txn({ compare: [], success: [{ type: 'put', key, value }], failure: [] });
      }),
    );
  }
  await first.close();
  const second = await timedOpen(`open, ${count} keys`);
  await second.close();
} finally {
  await rm(directory, { recursive: true });
}
