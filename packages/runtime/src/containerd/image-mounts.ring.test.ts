/** An image as a folder: seen by the node, and where containerd lives, which hands it into containers. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { connectCriRuntime } from '../cri/connect.ts';
import type { Runtime } from '../ports.ts';
import { imageMounts } from '../node/image/mount.ts';
import { detectContainerd } from './host.ts';
import { containerdMountNamespace } from './layout.ts';
import { TEST_IMAGE, createTestbed } from './testing/testbed.ts';

const run = promisify(execFile);

async function connectedTo<T>(endpoint: string, ask: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await connectCriRuntime({ endpoint, clock: realClock, log: silentLogger });
  try {
    return await ask(runtime);
  } finally {
    await runtime.close();
  }
}

const { usable, missing } = await detectContainerd();

test(
  'of an image that is mounted everybody has the files, and nobody can write or run them',
  {
    skip: usable ? false : `missing: ${missing.join(', ')}`,
  },
  async () => {
    const bed = await createTestbed();
    try {
      const { endpoint, folder, options } = bed;
      const namespace = containerdMountNamespace(options.stateDir);
      const images = imageMounts({ endpoint, namespace });
      const target = join(folder, 'pods', 'image');
      await mkdir(target, { recursive: true });
      const { id } = (await connectedTo(endpoint, (runtime) => runtime.imageStatus(TEST_IMAGE))) ?? { id: '' };
      await images.mount(id, target);
      const { stdout } = await run('nsenter', [`--mount=${namespace}`, 'findmnt', '-no', 'OPTIONS', target]);
      const listed = await run('nsenter', [`--mount=${namespace}`, 'ls', target]);
      const [here, there] = [await readdir(target), listed.stdout.trim().split('\n')];
      assert.deepEqual([here.toSorted(), here.includes('bin')], [there.toSorted(), true]);
      const flags = stdout.trim().split(',');
      assert.deepEqual([flags.includes('ro'), flags.includes('noexec')], [true, true]);
      await images.unmount(target);
      assert.deepEqual(await readdir(target), []);
    } finally {
      assert.deepEqual(await bed.close(), []);
    }
  },
);
