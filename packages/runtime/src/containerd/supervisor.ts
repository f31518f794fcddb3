import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open, readFile, readdir, rename, rm, stat, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Logger, sleep } from '@binnacle/base';
import { loadCriModules } from '../cri/descriptors.ts';
import { connectCriRuntime } from '../cri/connect.ts';
import { RuntimeError } from '../errors.ts';
import { PAUSE_IMAGE, buildPauseImage } from '../node/image/builtin.ts';
import { importImage } from '../node/image/import.ts';
import { type PodNetwork, cniConfig, cniFoldersIn, containerdConfig } from './config.ts';
import { type CniFolders, PROGRAM_PATH, detectContainerd, readHostFacts } from './host.ts';
import { type Layout, layoutOf } from './layout.ts';
import { keepMountNamespace, stateWithin } from './mounts.ts';
import { type ProcessInfo, endProcesses, findProcesses, readProcess } from './processes.ts';

/** What a private containerd needs. */
export interface ContainerdOptions {
  /** Folder that is containerd's own; everything it writes is below. */
  readonly stateDir: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly network: PodNetwork;
  /** With a `confDir` nothing of `network` is written: pods join what somebody else puts there, once it is there. */
  readonly cni?: CniFolders;
  /** Where one was written, it and `cni` stay as they are: pods leave the network that they joined, whatever it would be by now. */
  readonly keepsNetwork?: boolean;
  /** Folders in which mounts made later must be seen by containers: the kubelet's pods folder. */
  readonly sharedFolders: readonly string[];
  /** More environment for containerd, e.g. `HTTPS_PROXY`. */
  readonly environment?: { readonly [name: string]: string };
}

/** A private containerd that answers. */
export interface Containerd {
  /** For `connectCriRuntime` and `importImage`. */
  readonly endpoint: string;
  readonly pid: number;
  /** It was found running and left as it is. */
  readonly joined: boolean;
}

const READY_TIMEOUT_MS = 20_000;
const READY_STEP_MS = 5;
const STOP_GRACE_MS = 5000;
const LOG_BYTES_MAX = 8 << 20;
const LOG_TAIL_BYTES = 2000;

/**
 * Starts a containerd of our own, or joins the one that an earlier process left running with the same configuration
 * (another configuration: it is started again; its pods go on). It does not end with us: see `stopContainerd`.
 * Resolves when CRI answers and the sandbox image is there. Throws RuntimeError with the tail of containerd's log.
 */
export async function startContainerd(options: ContainerdOptions): Promise<Containerd> {
  const layout = layoutOf(options.stateDir);
  const cni = options.keepsNetwork === true ? await keptFolders(layout) : options.cni;
  const found = await detectContainerd(cni);
  if (!found.usable) {
    throw new RuntimeError(`cannot run containerd: missing ${found.missing.join(', ')}`, { code: 'missing-program' });
  }
  for (const folder of [
    layout.root,
    layout.state,
    layout.cniConfigDir,
    layout.cniIpamDir,
    layout.certsDir,
    layout.images,
  ]) {
    await mkdir(folder, { recursive: true });
  }
  const host = await readHostFacts(layout.base, found.found);
  const network = cniConfig(layout, { ...options.network, bandwidth: host.limitsBandwidth });
  const keepsNetwork = options.keepsNetwork === true && (await isFile(layout.cniConfig));
  const { confDir } = cni ?? {};
  const isOurs = confDir === undefined && !keepsNetwork;
  const networkChanged = isOurs && (await writeIfChanged(layout.cniConfig, network));
  // Children of ours make the namespace while this process, which is blocked by neither, does the rest.
  await Promise.all([
    keepMountNamespace(layout, host, options.sharedFolders),
    prepareSandboxImage(layout),
    loadCriModules(),
  ]);
  // Behind the namespace: where the state is depends on it.
  const state = await stateWithin(layout);
  const config = containerdConfig(layout, host, { sandboxImage: PAUSE_IMAGE, state, confDir });
  if (options.keepsNetwork !== true) await refuseOtherNetwork(layout, config);
  const changed = await writeIfChanged(layout.config, config);
  const running = await findContainerd(layout);
  if (running !== undefined && !changed && !networkChanged) {
    const joined = await joinRunning(layout, options, running);
    if (joined !== undefined) return joined;
  }
  if (running !== undefined) await endProcesses(options.clock, [running], STOP_GRACE_MS);
  const child = await launch(layout, host.programs, options.environment ?? {});
  return await awaitReady(layout, options, child);
}

/** Where somebody else's configuration is by which pods of the last start joined, whether or not it is there still. */
export async function othersNetworkOf(layout: Layout): Promise<string | undefined> {
  const { confDir } = await lastFolders(layout);
  return confDir === layout.cniConfigDir ? undefined : confDir;
}

async function lastFolders(layout: Layout): Promise<CniFolders> {
  // Absent: nothing was ever started.
  return cniFoldersIn(await readFile(layout.config, 'utf8').catch(() => ''));
}

/** By what the pods of the last start joined; what is gone meanwhile is not made again, and ours takes its place. */
async function keptFolders(layout: Layout): Promise<CniFolders> {
  const [confDir, { binDir }] = await Promise.all([othersNetworkOf(layout), lastFolders(layout)]);
  const isOthers = confDir !== undefined && (await isFolder(confDir));
  const hasPlugins = binDir !== undefined && (await isFolder(binDir));
  return { ...(isOthers ? { confDir } : {}), ...(hasPlugins ? { binDir } : {}) };
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    // Absent.
    () => false,
  );
}

/** Where it is noted of each pod what it joined. */
export function joinedFolder(layout: Layout): string {
  return join(layout.cniCacheDir, 'results');
}

/** Throws RuntimeError where pods joined by another folder's configuration: by this one's they could not leave what they joined. */
async function refuseOtherNetwork(layout: Layout, config: string): Promise<void> {
  const { confDir: before } = await lastFolders(layout);
  if (before === undefined || before === cniFoldersIn(config).confDir) return;
  // Absent: no pod has ever joined.
  const joined = await readdir(joinedFolder(layout)).catch(() => []);
  if (joined.length === 0) return;
  throw new RuntimeError(`pods have joined the network of ${before}; they are to be removed before it is another one`, {
    code: 'network-joined',
  });
}

/** Ends the containerd in `stateDir`, if one runs; its pods go on. */
export async function stopContainerd(options: { readonly stateDir: string; readonly clock: Clock }): Promise<void> {
  const layout = layoutOf(options.stateDir);
  const running = await findContainerd(layout);
  if (running !== undefined) await endProcesses(options.clock, [running], STOP_GRACE_MS);
  await rm(layout.pidFile, { force: true });
}

/** The process that runs our configuration: by the pid file, else (it was lost) by looking at all. */
export async function findContainerd(layout: Layout): Promise<ProcessInfo | undefined> {
  const isOurs = (argv: readonly string[]): boolean => {
    return (argv[0] ?? '').endsWith('containerd') && argv.includes(layout.config);
  };
  // No note, or one of another time: the process list tells.
  const pid = Number(await readFile(layout.pidFile, 'utf8').catch(() => ''));
  const noted = pid > 0 ? await readProcess(pid) : undefined;
  if (noted !== undefined && isOurs(noted.argv)) return noted;
  return (await findProcesses(isOurs))[0];
}

async function joinRunning(
  layout: Layout,
  options: ContainerdOptions,
  running: ProcessInfo,
): Promise<Containerd | undefined> {
  try {
    await provideSandboxImage(layout, options);
    options.log.info(1, 'joined the containerd that runs', { pid: running.pid });
    return { endpoint: endpointOf(layout), pid: running.pid, joined: true };
  } catch (error) {
    options.log.error(error, 'the containerd that runs does not answer: starting it again', { pid: running.pid });
    return undefined;
  }
}

async function launch(
  layout: Layout,
  programs: { readonly nsenter: string; readonly containerd: string },
  environment: { readonly [name: string]: string },
): Promise<ChildProcess> {
  const size = await stat(layout.log).then(
    (found) => found.size,
    // No log yet.
    () => 0,
  );
  if (size > LOG_BYTES_MAX) await truncate(layout.log);
  await removeSocket(layout.socket);
  const log = await open(layout.log, 'a');
  try {
    const args = [`--mount=${layout.namespace}`, programs.containerd, '-c', layout.config];
    // Its own session and no pipe to us: it outlives us.
    const child = spawn(programs.nsenter, args, {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: { PATH: PROGRAM_PATH, ...environment },
      cwd: '/',
    });
    child.unref();
    await writeFile(layout.pidFile, `${child.pid ?? ''}\n`);
    return child;
  } finally {
    await log.close();
  }
}

/**
 * Not by `rm`: it looks at the socket through the one stat buffer that Node's module loader shares, and while a socket
 * is what was seen last, the loader does not follow the links of node_modules, so a later import() fails (Node 24.19).
 */
async function removeSocket(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'ENOENT') throw error;
  }
}

async function awaitReady(layout: Layout, options: ContainerdOptions, child: ChildProcess): Promise<Containerd> {
  const { clock } = options;
  const deadline = clock.monotonic() + READY_TIMEOUT_MS;
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  child.once('error', () => {
    ended = true;
  });
  for (let cause: unknown; ;) {
    if (ended || child.pid === undefined || clock.monotonic() > deadline) throw await startFailure(layout, cause);
    try {
      // The socket is there before CRI is, so only an answer counts.
      await stat(layout.socket);
      await provideSandboxImage(layout, options);
      options.log.info(1, 'containerd is ready', { pid: child.pid });
      return { endpoint: endpointOf(layout), pid: child.pid, joined: false };
    } catch (error) {
      if (error instanceof RuntimeError && error.code.startsWith('image-')) throw error;
      cause = error;
    }
    await sleep(clock, READY_STEP_MS);
  }
}

async function startFailure(layout: Layout, cause: unknown): Promise<RuntimeError> {
  // The log is an addition to `cause`, which is told in any case.
  const log = await readFile(layout.log, 'utf8').catch(() => '');
  const tail = log.slice(-LOG_TAIL_BYTES);
  return new RuntimeError(`containerd did not start; its log ends with:\n${tail}`, { code: 'containerd-start', cause });
}

/** No registry is needed for a sandbox. Fails when CRI does not answer. */
async function provideSandboxImage(layout: Layout, { clock, log }: ContainerdOptions): Promise<void> {
  const endpoint = endpointOf(layout);
  const runtime = await connectCriRuntime({ endpoint, clock, log });
  try {
    if ((await runtime.imageStatus(PAUSE_IMAGE)) !== undefined) return;
  } finally {
    await runtime.close();
  }
  await importImage(endpoint, layout.sandboxImage);
}

/** Kept as a file, so that an image that somebody deletes is there again after the next start. */
async function prepareSandboxImage(layout: Layout): Promise<void> {
  if (await isFile(layout.sandboxImage)) return;
  const unfinished = `${layout.sandboxImage}.new`;
  await buildPauseImage(unfinished);
  await rename(unfinished, layout.sandboxImage);
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    // Absent.
    () => false,
  );
}

function endpointOf(layout: Layout): string {
  return `unix://${layout.socket}`;
}

async function writeIfChanged(path: string, text: string): Promise<boolean> {
  // What cannot be read is written; that tells what is wrong.
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return false;
  // Whole or not at all: containerd reads it the moment it changes, and with half of it pods leave no network.
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
  return true;
}
