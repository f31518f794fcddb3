import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Logger } from '@binnacle/base';
import { type PodNetwork, pluginList } from '../containerd/config.ts';
import { canRaiseLimits, findPluginFolder } from '../containerd/host.ts';
import { RuntimeError } from '../errors.ts';
import { PAUSE_IMAGE, buildPauseImage } from '../node/image/builtin.ts';
import { DockerApi } from './api.ts';
import { DockerCommands } from './commands.ts';
import { DockerEvents } from './events.ts';
import { DockerImages } from './images.ts';
import { DockerLogs } from './logs.ts';
import type { InfoMessage, StringMap } from './messages.ts';
import { PodPlugins } from './pod-network.ts';
import { DockerRuntime } from './runtime.ts';

/** What pods on a Docker Engine need. */
export interface DockerOptions {
  /** `unix:///var/run/docker.sock`. */
  readonly endpoint: string;
  /** A folder of ours: addresses and namespaces of pods. */
  readonly stateDir: string;
  readonly network: PodNetwork;
  readonly clock: Clock;
  readonly log: Logger;
  /** Put on everything made; what does not carry it is neither listed nor touched. */
  readonly ownershipLabel?: { readonly key: string; readonly value: string };
}

/** One engine, and what only one process may do on it: the logs of our containers are written by whoever opened it. */
export interface DockerEngine {
  /** Another connection; all write their logs by the first. */
  connect(): DockerRuntime;
  /** Loads an archive of images. Throws RuntimeError when it is refused. */
  loadImages(file: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a Docker Engine (20.10 and later) that somebody else runs, and goes on with the logs of our containers. Throws
 * RuntimeUnavailableError when nobody answers, RuntimeError where it cannot hold pods.
 */
export async function openDocker(options: DockerOptions): Promise<DockerEngine> {
  const { endpoint, clock, log, ownershipLabel } = options;
  const labels: StringMap = ownershipLabel === undefined ? {} : { [ownershipLabel.key]: ownershipLabel.value };
  const api = new DockerApi(endpoint);
  try {
    await assertGroups(api);
    const pluginFolder = await findPluginFolder();
    if (pluginFolder === undefined) {
      throw new RuntimeError('cannot run pods on Docker: missing CNI plugins', { code: 'missing-program' });
    }
    const { stateDir } = options;
    const list = pluginList(join(stateDir, 'ipam'), options.network);
    const network = new PodPlugins({ list, pluginFolder, folder: join(stateDir, 'pods') });
    const images = new DockerImages(api);
    const logs = new DockerLogs({ api, clock, log });
    const shared = { clock, log, labels, network, oomScoreFloor: await readOomScoreFloor() };
    const connect = (ofApi: DockerApi): DockerRuntime => {
      const events = new DockerEvents({ api: ofApi, clock, log, labels, logEnded: (id) => logs.ended(id) });
      const commands = new DockerCommands({ api: ofApi, events, log, after: (ms, run) => clock.after(ms, run) });
      const parts = { api: ofApi, events, commands, images, logs };
      const sandboxImage = (): Promise<string> => provideSandboxImage(images);
      events.start();
      return new DockerRuntime({ ...shared, ...parts, sandboxImage });
    };
    const first = connect(api);
    await first.adopt();
    return {
      connect: () => connect(new DockerApi(endpoint)),
      loadImages: (file) => images.load(file),
      close: async () => {
        await first.close();
        await logs.close();
      },
    };
  } catch (error) {
    await api.close();
    throw error;
  }
}

/** The kubelet makes the pods' groups by itself, below folders that systemd would not know. */
async function assertGroups(api: DockerApi): Promise<void> {
  const { CgroupDriver: driver } = await api.call<InfoMessage>({ method: 'GET', path: '/info' });
  if (driver === 'cgroupfs') return;
  throw new RuntimeError(
    `Docker makes control groups by ${driver}; pods need "exec-opts": ["native.cgroupdriver=cgroupfs"] in its daemon.json`,
    { code: 'cgroup-driver' },
  );
}

/** Where nobody may lower an oom_score_adj, our own is the lowest there is. */
async function readOomScoreFloor(): Promise<number | undefined> {
  return (await canRaiseLimits()) ? undefined : Number(await readFile('/proc/self/oom_score_adj', 'utf8'));
}

async function provideSandboxImage(images: DockerImages): Promise<string> {
  const there = await images.status(PAUSE_IMAGE);
  if (there !== undefined) return there.id;
  const folder = await mkdtemp(join(tmpdir(), 'binnacle-pause-'));
  try {
    const file = join(folder, 'pause.tar');
    await buildPauseImage(file);
    await images.load(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const made = await images.status(PAUSE_IMAGE);
  if (made === undefined) throw new RuntimeError('Docker loaded the image of sandboxes, and does not have it');
  return made.id;
}
