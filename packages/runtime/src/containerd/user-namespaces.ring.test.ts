/** Users of a pod's own, where the engine can give them: they come to their files though the folders above are closed to others. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { connectCriRuntime } from '../cri/connect.ts';
import { EventLog, plainContainer, plainSandbox } from '../testing/harness.ts';
import { detectContainerd } from './host.ts';
import { TEST_IMAGE, createTestbed, criHarness } from './testing/testbed.ts';

const { usable, missing } = await detectContainerd();
const IDS = { containerId: 0, hostId: 655_360, length: 65_536 };

test(
  'a container runs with users of its own',
  {
    skip: usable ? false : `missing: ${missing.join(', ')}`,
  },
  async (t) => {
    const bed = await createTestbed();
    const runtime = await connectCriRuntime({ endpoint: bed.endpoint, clock: realClock, log: silentLogger });
    try {
      const { handlers } = await runtime.status();
      if (!handlers.some(({ userNamespaces }) => userNamespaces)) return t.skip('this engine gives none');
      const uid = 'users-1';
      const plain = plainSandbox(criHarness(bed), uid);
      const config = { ...plain, namespaces: { ...plain.namespaces, users: [IDS] } };
      const sandbox = await runtime.runSandbox(config);
      const container = plainContainer(TEST_IMAGE, ['cat', '/proc/self/uid_map']);
      const id = await runtime.createContainer(sandbox, container, config);
      const events = new EventLog();
      const watch = runtime.events({ event: (one) => events.event(one), lost: (error) => events.lostEvents(error) });
      await runtime.startContainer(id);
      await events.next('stopped', id);
      watch.stop();
      const log = await readFile(join(plain.logDirectory, 'main/0.log'), 'utf8');
      assert.match(log, /\b0 +655360 +65536\n/);
      return undefined;
    } finally {
      await runtime.close();
      assert.deepEqual(await bed.close(), []);
    }
  },
);
