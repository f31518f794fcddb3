import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, sleep } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { connectCriRuntime } from '../cri/connect.ts';
import { layoutOf } from './layout.ts';
import { reviveContainerd } from './revival.ts';
import { findContainerd } from './supervisor.ts';
import { createTestbed } from './testing/testbed.ts';

test('a containerd that is killed is started again; one that is ended on purpose is not', async (t) => {
  const bed = await createTestbed();
  t.after(async () => assert.deepEqual(await bed.close(), []));
  const layout = layoutOf(bed.options.stateDir);
  const runtime = await connectCriRuntime({ endpoint: bed.endpoint, clock: realClock, log: silentLogger });
  t.after(() => runtime.close());
  const revival = reviveContainerd(bed.options, runtime);
  await runtime.version();
  const first = await findContainerd(layout);
  process.kill(first?.pid ?? 0, 'SIGKILL');
  const deadline = realClock.monotonic() + 30_000;
  for (;;) {
    const now = await findContainerd(layout);
    const answers = now !== undefined && now.pid !== first?.pid && (await runtime.version().catch(() => undefined));
    if (answers) break;
    assert.ok(realClock.monotonic() < deadline, 'it did not come back');
    await sleep(realClock, 20);
  }
  revival.stop();
});
