import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createDuplexPair, silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import type { ContainerConfig, Runtime, SandboxConfig } from '@binnacle/runtime';
import { buildBusyboxImage, connectCriRuntime } from '@binnacle/runtime/cri';
import { BenchError } from './errors.ts';

/** The image of the example. */
export const IMAGE = 'binnacle.local/frontend:1.0';

function sandboxConfig(folder: string, uid: string): SandboxConfig {
  return {
    ...{ name: `bare-${uid}`, namespace: 'default', uid, attempt: 0, hostname: `bare-${uid}` },
    logDirectory: join(folder, 'logs', uid),
    dns: { servers: [], searches: [], options: [] },
    ports: [],
    labels: { 'io.kubernetes.pod.uid': uid },
    annotations: {},
    cgroupParent: `/kubepods/besteffort/pod${uid}`,
    namespaces: { hostNetwork: false, hostPid: false, hostIpc: false, sharePid: false },
    sysctls: {},
    supplementalGroups: [],
    privileged: false,
    seccomp: 'RuntimeDefault',
    runtimeHandler: '',
  };
}

/** The same mounts as a kubelet gives every container: what a container costs is measured, not what it lacks. */
function containerConfig(folder: string): ContainerConfig {
  const hosts = join(folder, 'hosts');
  const termination = join(folder, 'termination-log');
  for (const file of [hosts, termination]) writeFileSync(file, '');
  const mount = (hostPath: string, containerPath: string): ContainerConfig['mounts'][number] => ({
    hostPath,
    containerPath,
    readOnly: false,
    propagation: 'private',
  });
  return { ...CONTAINER, mounts: [mount(hosts, '/etc/hosts'), mount(termination, '/dev/termination-log')] };
}

const CONTAINER: ContainerConfig = {
  ...{ name: 'web', attempt: 0, image: IMAGE, imageName: IMAGE, command: [], args: [], workingDir: '' },
  ...{
    env: [],
    mounts: [],
    devices: [],
    labels: {},
    annotations: {},
    logPath: 'web/0.log',
    stdin: false,
    stdinOnce: false,
    tty: false,
  },
  resources: { cpuShares: 2 },
  security: {
    ...{ privileged: false, readOnlyRootFilesystem: false, noNewPrivileges: false },
    ...{
      supplementalGroups: [],
      addCapabilities: [],
      dropCapabilities: [],
      seccomp: 'RuntimeDefault',
      maskedPaths: ['/proc/asound', '/proc/acpi', '/proc/kcore', '/proc/keys', '/proc/timer_list', '/sys/firmware'],
      readOnlyPaths: [],
    },
  },
};

interface BarePod {
  readonly sandbox: string;
  readonly container: string;
}

async function startPod(runtime: Runtime, folder: string): Promise<BarePod> {
  const config = sandboxConfig(folder, randomBytes(8).toString('hex'));
  const wanted = containerConfig(folder);
  const sandbox = await runtime.runSandbox(config);
  const container = await runtime.createContainer(sandbox, wanted, config);
  await runtime.startContainer(container);
  return { sandbox, container };
}

async function removePod(runtime: Runtime, { sandbox, container }: BarePod): Promise<void> {
  await runtime.stopContainer(container, 0);
  await runtime.removeContainer(container);
  await runtime.stopSandbox(sandbox);
  await runtime.removeSandbox(sandbox);
}

async function runAll(runtime: Runtime, folder: string, count: number): Promise<number> {
  const began = performance.now();
  const pods = await Promise.all(Array.from({ length: count }, () => startPod(runtime, folder)));
  const took = performance.now() - began;
  await Promise.all(pods.map((pod) => removePod(runtime, pod)));
  return took;
}

/** Runs pods by bare CRI calls on a containerd that is there already. */
export interface BareCri {
  /** RunPodSandbox + CreateContainer + StartContainer of one pod, milliseconds; then the pod is removed. */
  runOne(): Promise<number>;
  /** The same for so many pods at once, until the last one runs. */
  runAll(count: number): Promise<number>;
  /** Runs `true` in a container, its output streamed: milliseconds until its exit code is known. */
  runTrue(container: string): Promise<number>;
  close(): Promise<void>;
}

async function runTrue(runtime: Runtime, container: string): Promise<number> {
  const [stdout, far] = createDuplexPair();
  const began = performance.now();
  const code = await runtime.runCommand(container, ['true'], { tty: false, stdout });
  const took = performance.now() - began;
  for (const end of [stdout, far]) end.abort();
  if (code !== 0) throw new BenchError(`true ended with ${code}`);
  return took;
}

/** Connects to the containerd of a running program; logs go below `folder`. */
export async function connectBareCri(endpoint: string, folder: string): Promise<BareCri> {
  const runtime = await connectCriRuntime({ endpoint, clock: realClock, log: silentLogger });
  return {
    runOne: () => runAll(runtime, folder, 1),
    runAll: (count) => runAll(runtime, folder, count),
    runTrue: (container) => runTrue(runtime, container),
    close: () => runtime.close(),
  };
}

/** The example's image: busybox serving a page. */
export async function buildExampleImage(archive: string): Promise<void> {
  await buildBusyboxImage(archive, { refs: [IMAGE], config: { Cmd: ['httpd', '-f', '-p', '80'] } });
}
