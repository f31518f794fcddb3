import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { nodeHttp, startTicks } from '@binnacle/base/node';
import { isAboutFolder } from '@binnacle/base/testing';
import { TestkitError } from './errors.ts';
import { podNetwork } from './pod-network.ts';

/** What a container's web server answered. */
export interface PageReply {
  readonly code: number;
  readonly body: string;
}

/** Asks a web server of a pod; rejects when nothing answers in time. */
export function fetchPage(host: string, path = '/', port = 80): Promise<PageReply> {
  return new Promise((resolve, reject) => {
    const request = nodeHttp().get({ host, port, path, timeout: 5000, agent: false }, (reply) => {
      let body = '';
      reply.setEncoding('utf8').on('data', (text: string) => (body += text));
      reply.once('end', () => resolve({ code: reply.statusCode ?? 0, body }));
      reply.once('error', reject);
    });
    request.once('timeout', () => request.destroy(new TestkitError(`http://${host}:${port}${path} does not answer`)));
    request.once('error', reject);
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // A process may end while it is looked at.
    return '';
  }
}

/** Living processes of this machine for which `matches` holds. */
function findPids(matches: (pid: string) => boolean): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && matches(name))
    .map(Number);
}

/** The processes in a container's cgroup; `containerID` as the pod's status shows it. */
export function containerPids(containerID: string): number[] {
  const id = containerID.replace(/^.*:\/\//, '');
  if (id === '') throw new TestkitError('a container without an id has no processes');
  return findPids((pid) => textOf(`/proc/${pid}/cgroup`).includes(id));
}

/** Whether a process lives; one that ended and waits for its parent to notice does not. */
export function isRunning(pid: number): boolean {
  return startTicks(pid) !== '';
}

/** Living processes whose command line has `text` in it, without their forks that have not become another program. */
export function pidsByCommand(text: string): number[] {
  const found = findPids((pid) => textOf(`/proc/${pid}/cmdline`).includes(text));
  const parentOf = (pid: number): number => Number(/^PPid:\s*(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0);
  return found.filter((pid) => !found.includes(parentOf(pid)));
}

/** Kills every process of a container, as a crash would. */
export function killContainer(containerID: string): void {
  const pids = containerPids(containerID);
  if (pids.length === 0) throw new TestkitError(`no process of container ${containerID}`);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
}

/** What is left on this machine of a cluster whose files were below `folder`; empty: nothing. */
export function remainsOf(folder: string): string[] {
  const commandOf = (pid: number): string => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
  const processes = pidsByCommand(folder).filter((pid) => pid !== process.pid && isAboutFolder(commandOf(pid), folder));
  const mounts = textOf('/proc/self/mountinfo')
    .split('\n')
    .filter((line) => line.includes(folder));
  return [
    ...processes.map((pid) => `process ${pid}: ${commandOf(pid)}`),
    ...mounts.map((line) => `mount ${line}`),
    ...(existsSync(folder) ? [`folder ${folder}`] : []),
  ];
}

/** The bridge of a cluster's pods and their ends on it. Throws TestkitError where its network was never set up. */
export function podLinks(dataDir: string): string[] {
  const { bridge } = podNetwork(dataDir);
  return [bridge, ...linkNames('master', bridge)];
}

/** `ip` tells of the network that this process is in; files below `/sys` may be of the machine's. */
function linkNames(...wish: readonly string[]): readonly string[] {
  const { status, stdout } = spawnSync('ip', ['-json', 'link', 'show', ...wish], { encoding: 'utf8' });
  if (status !== 0 || stdout.trim() === '') return [];
  return (JSON.parse(stdout) as readonly { readonly ifname?: string }[]).flatMap(({ ifname }) => ifname ?? []);
}

/** Whether this machine has a network interface of that name. */
export function hasLink(name: string): boolean {
  return linkNames('dev', name).includes(name);
}

/** Below `kubepods`, those of a pod's quality of service; of what is guaranteed they are at the top. */
const QUALITIES = ['', 'burstable/', 'besteffort/'];

/** Cgroups of the pods with these UIDs, in every hierarchy. Looks at their places alone: others come and go meanwhile. */
export function podCgroups(uids: readonly string[]): string[] {
  const root = '/sys/fs/cgroup';
  const hierarchies = [root, ...readdirSync(root).map((name) => `${root}/${name}`)];
  return hierarchies
    .filter((path) => existsSync(`${path}/kubepods`))
    .flatMap((path) => QUALITIES.flatMap((quality) => uids.map((uid) => `${path}/kubepods/${quality}pod${uid}`)))
    .filter((path) => existsSync(path));
}
