import { join } from 'node:path';
import { takeTestRanges, whenBrokenOff } from '@binnacle/base/testing';
import type { TestRanges } from '@binnacle/base/testing';
import { createClient } from '@binnacle/client';
import { createHttpWire, loadKubeconfig } from '@binnacle/client/node';
import { startBinnacle } from './child.ts';
import type { BinnacleProcess } from './child.ts';
import type { ClusterWish, Harness, TestCluster } from './cluster.ts';
import { makeFolder, runBinnacle } from './folder.ts';

/** A cluster in one `binnacle up` process that a test may kill and start again. */
export interface OneProcessCluster extends TestCluster {
  readonly kubeconfig: string;
  readonly dataDir: string;
  /** A link that logs cluster-admin in to the dashboard, once; empty where its page is not built. */
  readonly dashboard: () => string;
  /** What it may give its pods and nodes; absent where no containers run. */
  readonly ranges?: TestRanges;
  /** SIGKILL of the whole process. */
  kill(): Promise<void>;
  /** Starts it again on the same data, at the same address. */
  restart(): Promise<void>;
  /** What it said last, before it was killed too. */
  output(): string;
  /** Of the process that runs now. */
  pid(): number;
}

/** Starts `binnacle up` on a fresh folder; `flags` are added to its command line. */
export async function startOneProcess(wish: ClusterWish, flags: readonly string[] = []): Promise<OneProcessCluster> {
  const folder = makeFolder();
  const dataDir = join(folder.path, 'data');
  const kubeconfig = join(folder.path, 'kubeconfig');
  const ranges = wish.runtime !== 'simulated' ? await takeTestRanges() : undefined;
  let listen = '127.0.0.1:0';
  const launch = (): Promise<BinnacleProcess> =>
    startBinnacle([
      'up',
      ...['--data-dir', dataDir, '--kubeconfig', kubeconfig, '--listen', listen, '--output', 'json'],
      ...['--runtime', wish.runtime, '--nodes', `${wish.nodes ?? 1}`, '--store', wish.store ?? 'sqlite'],
      ...rangeFlags(ranges, wish),
      ...flags,
    ]);
  const removeAll = async (): Promise<void> => {
    await runBinnacle(['down', '--data-dir', dataDir, '--delete'], { KUBECONFIG: kubeconfig });
    folder.remove();
    ranges?.release();
    forget();
  };
  let cleaned: Promise<void> | undefined;
  const clean = (): Promise<void> => (cleaned ??= removeAll());
  const forget = whenBrokenOff(clean);
  wish.prepare?.(dataDir);
  let running = await launch().catch(async (error: unknown) => {
    // Its containerd may run, although it did not come up.
    await clean();
    throw error;
  });
  listen = new URL(running.ready.server).host;
  /** Of the process before this one. */
  let before = '';
  const wire = createHttpWire((await loadKubeconfig(kubeconfig)).wire);
  return {
    client: createClient(wire),
    kubeconfig,
    dataDir,
    ...(ranges === undefined ? {} : { ranges }),
    dashboard: () => running.ready.dashboard ?? '',
    output: () => before + running.output(),
    pid: () => running.ready.pid,
    kill: () => running.kill(),
    restart: async () => {
      before = running.output();
      running = await launch();
    },
    stop: async () => {
      await wire.close();
      try {
        await running.stop();
      } finally {
        // Also where the process did not end in its time: its containers would hold their network for good.
        await clean();
      }
    },
  };
}

function rangeFlags(ranges: TestRanges | undefined, { hasBothFamilies }: ClusterWish): readonly string[] {
  if (ranges === undefined) return [];
  const { pods, pods6, nodes, nodes6 } = ranges;
  const families = hasBothFamilies === true ? [pods6, nodes6] : [];
  return ['--pod-cidr', [pods, ...families.slice(0, 1)].join(), '--node-cidr', [nodes, ...families.slice(1)].join()];
}

/** The API server, controllers, scheduler and nodes in one process; the test speaks HTTPS to it. */
export const oneProcess: Harness = { name: 'HTTPS to one process', start: (wish) => startOneProcess(wish) };
