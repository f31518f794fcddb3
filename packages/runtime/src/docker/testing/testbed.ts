import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { takeTestRanges, makeTestFolder } from '@binnacle/base/testing';
import { listMounts } from '../../containerd/mounts.ts';
import { findProcesses } from '../../containerd/processes.ts';
import { SPARE_IMAGE, TEST_IMAGE, shellBehaviours } from '../../containerd/testing/testbed.ts';
import { removeCgroup } from '../../node/cgroups.ts';
import { buildBusyboxImage } from '../../node/image/builtin.ts';
import type { RuntimeHarness } from '../../testing/harness.ts';
import { openDocker } from '../engine.ts';
import { removePodNetwork } from '../remains.ts';
import { containerNames, startEngine, stopEngine } from './engine-process.ts';

const run = promisify(execFile);

/** A private engine in a temporary folder that leaves the machine's own rules and bridges alone. */
export interface DockerTestbed {
  readonly folder: string;
  readonly name: string;
  readonly podRange: string;
  readonly endpoint: string;
  /** Names of the containers there are. */
  containers(): Promise<string[]>;
  /** Ends it and removes everything; answers with what is left all the same. */
  close(): Promise<string[]>;
}

/** Starts it, with ranges of addresses and control groups of its own. Throws RuntimeError when it does not answer. */
export async function createDockerTestbed(): Promise<DockerTestbed> {
  const { pods: podRange, name, release } = await takeTestRanges();
  const folder = makeTestFolder().path;
  const endpoint = `unix://${join(folder, 'docker.sock')}`;
  const child = await startEngine(folder, endpoint, name);
  const close = async (): Promise<string[]> => {
    await stopEngine(child);
    await removePodNetwork(join(folder, 'state'), { subnets: [podRange], bridge: name }, silentLogger);
    // The engine leaves that of its own network.
    for (const { path } of await listMounts()) {
      if (path.startsWith(join(folder, 'exec'))) await run('umount', [path]);
    }
    await removeCgroup(`/${name}`);
    await removeCgroup(`/docker-${name}`);
    const left = await leftovers(folder);
    await rm(folder, { recursive: true, force: true });
    release();
    return left;
  };
  return { folder, name, podRange, endpoint, containers: () => containerNames(endpoint), close };
}

/** The contract's harness on an engine. */
export async function dockerHarness(bed: DockerTestbed): Promise<RuntimeHarness> {
  const { folder, name, podRange, endpoint } = bed;
  const network = { subnets: [podRange], bridge: name };
  const options = { endpoint, stateDir: join(folder, 'state'), network, clock: realClock, log: silentLogger };
  const engine = await openDocker(options);
  for (const ref of [TEST_IMAGE, SPARE_IMAGE]) {
    const file = join(folder, 'image.tar');
    await buildBusyboxImage(file, { refs: [ref], config: { Cmd: ['sh'], Labels: { ref } } });
    await engine.loadImages(file);
  }
  return {
    ...shellBehaviours,
    connect: () => Promise.resolve(engine.connect()),
    cgroupParent: (uid) => `/${name}/besteffort/pod${uid}`,
    logDirectory: (uid) => join(folder, 'logs', uid),
    stateFolder: folder,
    readLog: (path) => readFile(path, 'utf8'),
    close: async () => {
      await engine.close();
      const left = await bed.close();
      if (left.length > 0) throw new RangeError(`left behind: ${left.join(', ')}`);
    },
  };
}

async function leftovers(folder: string): Promise<string[]> {
  const processes = await findProcesses((argv) => argv.some((arg) => arg.includes(folder)));
  const mounts = (await listMounts()).filter((mount) => mount.path.startsWith(folder));
  return [
    ...processes.map(({ pid, argv }) => `process ${pid} ${argv.join(' ')}`),
    ...mounts.map((mount) => `mount ${mount.path}`),
  ];
}
