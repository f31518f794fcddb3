import { PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { Client } from '@binnacle/client';
import { makeFolder, waitFor } from '@binnacle/testkit';
import { BenchError } from '../errors.ts';
import { join } from 'node:path';
import { takeTestRanges } from '@binnacle/base/testing';
import { buildExampleImage, connectBareCri, IMAGE } from '../bare-cri.ts';
import { pass, startProgram } from '../program.ts';
import { ThreadCpu } from '../thread-cpu.ts';
import { atMost, median } from '../row.ts';
import type { Measurement } from '../row.ts';

const PODS_MEASURED = 20;
const DEADLINE_MS = 20_000;
/** The sandbox of a deleted pod goes after its object: the next pod is not measured beside that. */
const SETTLE_MS = 500;

/** From before the POST to the watch event that says Running, milliseconds. */
function createToRunning(client: Client, name: string): Promise<number> {
  const api = client.resource(PODS, 'default');
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const timer = setTimeout(() => reject(new BenchError(`${name} does not run after ${DEADLINE_MS} ms`)), DEADLINE_MS);
    const handle = api.watch(
      { fieldSelector: `metadata.name=${name}` },
      {
        events(batch) {
          if (!(batch as readonly { object: Pod }[]).some((e) => e.object.status?.phase === 'Running')) return;
          clearTimeout(timer);
          handle.stop();
          resolve(performance.now() - began);
        },
        end: (error) => {
          if (error !== undefined) reject(error);
        },
      },
    );
    api
      .create({
        metadata: { name },
        spec: {
          automountServiceAccountToken: false,
          containers: [{ name: 'web', image: IMAGE }],
          terminationGracePeriodSeconds: 1,
        },
      })
      .catch(reject);
  });
}

/** Deletes a pod and waits until it is gone: the next one must not share the machine with its end. */
async function removePod(client: Client, name: string): Promise<void> {
  const gone = waitFor({
    client,
    resource: PODS,
    namespace: 'default',
    name,
    what: `${name} to go`,
    until: (pods) => pods.length === 0,
  });
  await client.resource(PODS, 'default').delete(name);
  await gone;
  await pass(SETTLE_MS);
}

async function measureOne(client: Client, name: string, cpu: ThreadCpu): Promise<number> {
  const took = await cpu.during(() => createToRunning(client, name));
  await removePod(client, name);
  return took;
}

function rounded(times: readonly number[]): number {
  return Math.round(median(times) * 10) / 10;
}

/** Create → Running as a watcher sees it, on simulated nodes. */
export const runningSimulated: Measurement = {
  name: 'running-simulated',
  async run() {
    const program = await startProgram(['--runtime', 'simulated']);
    try {
      const cpu = new ThreadCpu(program.pid);
      const times: number[] = [];
      for (let i = 0; i < PODS_MEASURED; i++) times.push(await measureOne(program.client, `run-${i}`, cpu));
      const row = { name: 'create → Running, simulated', value: rounded(times), unit: 'ms', reference: null };
      return [atMost({ ...row, cpu: cpu.per('pod', PODS_MEASURED) }, 10)];
    } finally {
      await program.stop();
    }
  },
};

/** Create → Running on containerd, pod by pod beside the bare CRI calls on the same containerd. */
export const runningContainerd: Measurement = {
  name: 'running-containerd',
  async run() {
    const folder = makeFolder();
    const archive = join(folder.path, 'image.tar');
    await buildExampleImage(archive);
    const ranges = await takeTestRanges();
    const flags = ['--pod-cidr', ranges.pods, '--image', archive];
    const program = await startProgram(['--runtime', 'containerd', ...flags]);
    try {
      const bare = await connectBareCri(program.runtimeEndpoint(), folder.path);
      const cpu = new ThreadCpu(program.pid);
      const [ours, theirs]: [number[], number[]] = [[], []];
      for (let i = 0; i < PODS_MEASURED; i++) {
        theirs.push(await bare.runOne());
        await pass(SETTLE_MS);
        ours.push(await measureOne(program.client, `run-${i}`, cpu));
      }
      await bare.close();
      const reference = { name: 'RunPodSandbox + CreateContainer + StartContainer', value: rounded(theirs) };
      const row = { name: 'create → Running, containerd', value: rounded(ours), unit: 'ms', reference };
      return [atMost({ ...row, cpu: cpu.per('pod', PODS_MEASURED) }, Math.round((reference.value + 15) * 10) / 10)];
    } finally {
      await program.stop();
      ranges.release();
      folder.remove();
    }
  },
};
