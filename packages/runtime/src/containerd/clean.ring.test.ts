import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { makeTestFolder } from '@binnacle/base/testing';
import { connectCriRuntime } from '../cri/connect.ts';
import { plainContainer, plainSandbox } from '../testing/harness.ts';
import { cleanContainerd } from './clean.ts';
import { detectContainerd, readHostFacts } from './host.ts';
import { layoutOf } from './layout.ts';
import { dropMountNamespace, keepMountNamespace, listMounts } from './mounts.ts';
import { endProcesses, findProcesses } from './processes.ts';
import { TEST_IMAGE, type Testbed, createTestbed, criHarness } from './testing/testbed.ts';

describe('cleaning', () => {
  const startPod = async (bed: Testbed): Promise<void> => {
    const runtime = await connectCriRuntime({ endpoint: bed.endpoint, clock: realClock, log: silentLogger });
    const sandbox = plainSandbox(criHarness(bed), 'uid-1');
    const sandboxId = await runtime.runSandbox(sandbox);
    const config = plainContainer(TEST_IMAGE, ['sh', '-c', `trap "" TERM; : ${bed.folder}; while :; do sleep 9; done`]);
    await runtime.startContainer(await runtime.createContainer(sandboxId, config, sandbox));
    await runtime.close();
    assert.ok((await bed.leftovers()).length > 0);
  };

  test('after a crash of containerd and its shims everything goes all the same', async () => {
    const bed = await createTestbed();
    await startPod(bed);
    const crashed = await findProcesses((argv) => argv.some((arg) => arg.startsWith(join(bed.folder, 'ctd'))));
    await endProcesses(realClock, crashed, 0);
    assert.deepEqual(await bed.close(), []);
  });

  test('without deleting the state images stay, pods leave the network that they joined, and a second time does nothing more', async () => {
    const bed = await createTestbed();
    await startPod(bed);
    const { cniConfig } = layoutOf(bed.options.stateDir);
    const joined = await readFile(cniConfig, 'utf8');
    // What cleans may know less than what started the pods.
    const network = { ...bed.options.network, masquerade: false, mtu: 1300 };
    await cleanContainerd({ ...bed.options, network, deleteState: false });
    assert.equal(await readFile(cniConfig, 'utf8'), joined);
    assert.deepEqual(await bed.leftovers(), []);
    assert.ok((await readdir(join(bed.folder, 'ctd'))).includes('root'));
    assert.deepEqual(await bed.close(), []);
    await cleanContainerd(bed.options);
  });

  test('the mounts of a start that failed before its containerd go too', async () => {
    const folder = makeTestFolder();
    const [stateDir, pods] = [join(folder.path, 'ctd'), join(folder.path, 'pods')];
    const { found } = await detectContainerd();
    try {
      await keepMountNamespace(layoutOf(stateDir), await readHostFacts(folder.path, found), [pods]);
      const network = { subnets: [], bridge: 'binnacle-none' };
      const of = { stateDir, clock: realClock, log: silentLogger, network, sharedFolders: [pods] };
      await cleanContainerd({ ...of, deleteState: true });
      assert.deepEqual(
        (await listMounts()).filter(({ path }) => path.startsWith(folder.path)),
        [],
      );
    } finally {
      await dropMountNamespace(layoutOf(stateDir), [pods]);
      folder.remove();
    }
  });
});
