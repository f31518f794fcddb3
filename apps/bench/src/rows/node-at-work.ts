import { PODS } from '@binnacle/api';
import type { Pod, PodSpec } from '@binnacle/api/core/v1';
import type { Client } from '@binnacle/client';
import { waitFor } from '@binnacle/testkit';
import { IMAGE } from '../bare-cri.ts';
import { onContainerd } from '../on-containerd.ts';
import { cpuMs, pass, residentMegabytes, startProgram } from '../program.ts';
import type { RunningProgram } from '../program.ts';
import { atMost } from '../row.ts';
import type { Measurement, Row } from '../row.ts';

const AT_ONCE = 100;
const IDLE_PODS = 30;
const IDLE_MS = 20_000;
const PROBED_PODS = 1000;
const PROBE_NODES = 10;
const PROBE_MS = 15_000;
const DEADLINE_MS = 300_000;

const plain: PodSpec = {
  automountServiceAccountToken: false,
  containers: [{ name: 'web', image: IMAGE }],
  terminationGracePeriodSeconds: 0,
};

async function createAll(client: Client, prefix: string, of: { count: number; spec: PodSpec }): Promise<void> {
  const all = Array.from({ length: of.count }, (_, i) =>
    client
      .resource(PODS, 'default')
      .create({ metadata: { name: `${prefix}-${i}`, labels: { app: prefix } }, spec: of.spec }),
  );
  await Promise.all(all);
}

/** Waits until as many pods of a label are as wanted. */
async function untilPods(client: Client, prefix: string, until: (pods: readonly Pod[]) => boolean): Promise<void> {
  const labelSelector = `app=${prefix}`;
  const of = { client, resource: PODS, namespace: 'default', labelSelector, deadlineMs: DEADLINE_MS };
  await waitFor({ ...of, what: `pods of ${prefix}`, until });
}

const running =
  (count: number) =>
  (pods: readonly Pod[]): boolean =>
    pods.filter((pod) => pod.status?.phase === 'Running').length === count;

const seconds = (ms: number): number => Math.round(ms / 100) / 10;

/** All at once, beside the same CRI calls all at once on the same containerd; the bare ones first. */
export const hundredPods: Measurement = {
  name: 'pods-at-once',
  run: () =>
    onContainerd([], async (program, bare): Promise<Row[]> => {
      const theirs = seconds(await bare.runAll(AT_ONCE));
      const began = performance.now();
      const all = untilPods(program.client, 'flood', running(AT_ONCE));
      await createAll(program.client, 'flood', { count: AT_ONCE, spec: plain });
      await all;
      const value = seconds(performance.now() - began);
      const reference = { name: 'the same CRI calls at once', value: theirs };
      return [atMost({ name: `${AT_ONCE} pods at once, containerd`, value, unit: 's', reference }, 2 * theirs)];
    }),
};

/** What the whole program takes while its pods do nothing. */
export const idlePods: Measurement = {
  name: 'idle-pods',
  run: () =>
    onContainerd([], async (program): Promise<Row[]> => {
      await createAll(program.client, 'idle', { count: IDLE_PODS, spec: plain });
      await untilPods(program.client, 'idle', running(IDLE_PODS));
      await pass(IDLE_MS / 4);
      const before = cpuMs(program.pid);
      await pass(IDLE_MS);
      const cpu = Math.round((cpuMs(program.pid) - before) / (IDLE_MS / 1000));
      const memory = Math.round(residentMegabytes(program.pid));
      const name = `idle with ${IDLE_PODS} pods`;
      return [
        atMost({ name: `${name}: CPU`, value: cpu, unit: 'ms/s', reference: null }, 50),
        atMost({ name: `${name}: memory`, value: memory, unit: 'MB', reference: null }, 350),
      ];
    }),
};

/** CPU of the program over some time, milliseconds a second. */
async function cpuRate(program: RunningProgram): Promise<number> {
  const before = cpuMs(program.pid);
  await pass(PROBE_MS);
  return (cpuMs(program.pid) - before) / (PROBE_MS / 1000);
}

/** Readiness probes of simulated pods, one a second each; what the same pods take without is taken off. */
export const probes: Measurement = {
  name: 'probes',
  async run() {
    const program = await startProgram(['--runtime', 'simulated', '--nodes', String(PROBE_NODES)]);
    try {
      const { client } = program;
      const spec = (probed: boolean): PodSpec => ({
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'c',
            image: IMAGE,
            ...(probed ? { readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1 } } : {}),
          },
        ],
      });
      const rates: number[] = [];
      for (const probed of [false, true]) {
        const prefix = probed ? 'probed' : 'plain';
        await createAll(client, prefix, { count: PROBED_PODS, spec: spec(probed) });
        await untilPods(client, prefix, running(PROBED_PODS));
        await pass(PROBE_MS / 3);
        rates.push(await cpuRate(program));
        await client.resource(PODS, 'default').deleteCollection({ labelSelector: `app=${prefix}` });
        await untilPods(client, prefix, (pods) => pods.length === 0);
      }
      const [plainRate = 0, probedRate = 0] = rates;
      const value = Math.round(((probedRate - plainRate) * 1000) / PROBED_PODS);
      const row = { name: `CPU of a probe, ${PROBED_PODS} a second`, value, unit: 'µs', reference: null };
      return [atMost(row, 200)];
    } finally {
      await program.stop();
    }
  },
};
