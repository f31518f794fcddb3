import { type ChildProcess, spawn } from 'node:child_process';
import { access, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, sleep } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { PROGRAM_PATH } from '../../containerd/host.ts';
import { endProcesses, readProcess } from '../../containerd/processes.ts';
import { RuntimeError } from '../../errors.ts';
import { DockerApi } from '../api.ts';

const DOCKERD = '/usr/sbin/dockerd';
const READY_MS_MAX = 30_000;
const STOP_MS_MAX = 20_000;

/** Undefined where an engine can be started; else why not. */
export async function missingDocker(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'Docker Engine needs root';
  const there = await access(DOCKERD).then(
    () => true,
    // Absent.
    () => false,
  );
  return there ? undefined : `no Docker Engine here (${DOCKERD}, Debian package docker.io)`;
}

/** Starts an engine below `folder`. Throws RuntimeError, with the end of its log, when it does not answer. */
export async function startEngine(folder: string, endpoint: string, name: string): Promise<ChildProcess> {
  const child = await launch(folder, endpoint, name);
  try {
    await awaitReady(child, endpoint, folder);
    return child;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

async function launch(folder: string, endpoint: string, name: string): Promise<ChildProcess> {
  const config = join(folder, 'daemon.json');
  await writeFile(config, '{}');
  await mkdir(join(folder, 'data'));
  const log = await open(join(folder, 'dockerd.log'), 'a');
  try {
    const settings: { readonly [flag: string]: string } = {
      'config-file': config,
      'data-root': join(folder, 'data'),
      'exec-root': join(folder, 'exec'),
      pidfile: join(folder, 'docker.pid'),
      host: endpoint,
      'exec-opt': 'native.cgroupdriver=cgroupfs',
      'storage-driver': 'overlay2',
      'cgroup-parent': `/docker-${name}`,
      iptables: 'false',
      ip6tables: 'false',
      'ip-forward': 'false',
      bridge: 'none',
      'log-level': 'warn',
    };
    const flags = Object.entries(settings).map(([flag, value]) => `--${flag}=${value}`);
    return spawn(DOCKERD, flags, { stdio: ['ignore', log.fd, log.fd], env: { PATH: PROGRAM_PATH } });
  } finally {
    await log.close();
  }
}

async function awaitReady(child: ChildProcess, endpoint: string, folder: string): Promise<void> {
  const deadline = realClock.monotonic() + READY_MS_MAX;
  const api = new DockerApi(endpoint);
  try {
    for (;;) {
      try {
        await api.version();
        return;
      } catch (error) {
        if (child.exitCode !== null || realClock.monotonic() > deadline) {
          const log = await readFile(join(folder, 'dockerd.log'), 'utf8');
          throw new RuntimeError(`dockerd did not start: ${messageOf(error)}\n${log.slice(-2000)}`, { cause: error });
        }
      }
      await sleep(realClock, 20);
    }
  } finally {
    await api.close();
  }
}

/** Ends it with its own containerd. */
export async function stopEngine(child: ChildProcess): Promise<void> {
  const info = child.pid === undefined ? undefined : await readProcess(child.pid);
  if (info !== undefined) await endProcesses(realClock, [info], STOP_MS_MAX);
}

/** Names of the containers on an engine. */
export async function containerNames(endpoint: string): Promise<string[]> {
  const api = new DockerApi(endpoint);
  try {
    const all = await api.call<readonly { readonly Names: readonly string[] }[]>({
      method: 'GET',
      path: '/containers/json?all=1',
    });
    return all.flatMap(({ Names }) => Names);
  } finally {
    await api.close();
  }
}
