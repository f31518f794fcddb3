/**
 * What bare CRI calls cost here: RunPodSandbox, CreateContainer and StartContainer of N pods one after the other, then
 * their removal; the reference for "create → Running". Usage, as root: `node packages/runtime/bench/cri.ts [N] [--json]`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { takeTestRanges } from '@binnacle/base/testing';
import {
  buildBusyboxImage,
  cleanContainerd,
  connectCriRuntime,
  importImage,
  startContainerd,
} from '@binnacle/runtime/cri';
import { plainContainer, plainSandbox } from '@binnacle/runtime/testing';

const IMAGE = 'busybox:1.35';

interface Pod {
  readonly sandboxId: string;
  readonly containerId: string;
}

const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true });
const pods = Number(positionals[0] ?? 20);
const folder = await mkdtemp('/tmp/runtime-bench-');
const ranges = await takeTestRanges();
const options = {
  stateDir: join(folder, 'ctd'),
  clock: realClock,
  log: silentLogger,
  network: { subnets: [ranges.pods], bridge: ranges.name },
  sharedFolders: [join(folder, 'pods')],
  deleteState: true,
  cgroupRoots: ['/binnacle-bench'],
};
const laps = new Map<string, number[]>();

async function lap<T>(name: string, run: () => Promise<T>): Promise<T> {
  const before = realClock.monotonic();
  const result = await run();
  laps.set(name, [...(laps.get(name) ?? []), realClock.monotonic() - before]);
  return result;
}

function row(name: string, all: readonly number[]): { name: string; median: number; min: number; max: number } {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (index: number): number => Number((sorted[index] ?? 0).toFixed(1));
  return { name, median: at(sorted.length >> 1), min: at(0), max: at(sorted.length - 1) };
}

async function measure(endpoint: string): Promise<void> {
  const runtime = await connectCriRuntime({ endpoint, clock: realClock, log: silentLogger });
  const made: Pod[] = [];
  for (let i = 0; i < pods; i++) {
    const sandbox = plainSandbox(
      {
        logDirectory: (uid) => join(folder, 'logs', uid),
        cgroupParent: (uid) => `/binnacle-bench/besteffort/pod${uid}`,
      },
      `bench-${i}`,
    );
    const config = plainContainer(IMAGE, ['sleep', '1000']);
    await lap('create → Running (sum)', async () => {
      const sandboxId = await lap('RunPodSandbox', () => runtime.runSandbox(sandbox));
      const containerId = await lap('CreateContainer', () => runtime.createContainer(sandboxId, config, sandbox));
      await lap('StartContainer', () => runtime.startContainer(containerId));
      made.push({ sandboxId, containerId });
    });
  }
  for (const { sandboxId, containerId } of made) {
    await lap('ExecSync true', () => runtime.exec(containerId, ['true'], 10_000));
    await lap('StopContainer(0)', () => runtime.stopContainer(containerId, 0));
    await lap('RemoveContainer', () => runtime.removeContainer(containerId));
    await lap('StopPodSandbox', () => runtime.stopSandbox(sandboxId));
    await lap('RemovePodSandbox', () => runtime.removeSandbox(sandboxId));
  }
  await runtime.close();
}

try {
  const { endpoint } = await lap('startContainerd', () => startContainerd(options));
  await lap('buildBusyboxImage', () => buildBusyboxImage(join(folder, 'bb.tar'), { refs: [IMAGE] }));
  await lap('importImage', () => importImage(endpoint, join(folder, 'bb.tar')));
  await measure(endpoint);
} finally {
  await cleanContainerd(options);
  await rm(folder, { recursive: true, force: true });
}
for (const [name, all] of laps) {
  const figures = row(name, all);
  if (values.json === true) console.log(JSON.stringify({ ...figures, unit: 'ms', count: all.length }));
  else console.log(`${name.padEnd(24)} ${figures.median.toFixed(1).padStart(8)} ms  (${figures.min}–${figures.max})`);
}
