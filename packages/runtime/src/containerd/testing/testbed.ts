import { execFile } from 'node:child_process';
import { access, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Logger, silentLogger, sleep } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { isAboutFolder, takeTestRanges, makeTestFolder, whenBrokenOff } from '@binnacle/base/testing';
import { connectCriRuntime } from '../../cri/connect.ts';
import type { RuntimeHarness } from '../../testing/harness.ts';
import { buildBusyboxImage } from '../../node/image/builtin.ts';
import { importImage } from '../../node/image/import.ts';
import { type CleanOptions, cleanContainerd } from '../clean.ts';
import { listMounts } from '../mounts.ts';
import { findProcesses } from '../processes.ts';
import { startContainerd } from '../supervisor.ts';

const run = promisify(execFile);

/** A private containerd in a temporary folder, with two images, for the slow rings of the tests. */
export interface Testbed {
  readonly folder: string;
  /** Of its pods, and the machine's own address among them. */
  readonly podRange: string;
  readonly podGateway: string;
  /** What its bridge is called, and its cgroups end with. */
  readonly name: string;
  readonly options: CleanOptions;
  readonly endpoint: string;
  readonly startMs: number;
  /** What is left of it on the machine; empty after a clean end. */
  leftovers(): Promise<string[]>;
  /** Cleans everything up and answers with what is left all the same. */
  close(): Promise<string[]>;
}

export const TEST_IMAGE = 'busybox:1.35';
export const SPARE_IMAGE = 'example.com/spare/tool:1';

export async function createTestbed(log: Logger = silentLogger): Promise<Testbed> {
  const { pods: podRange, podGateway, name, release } = await takeTestRanges();
  const folder = makeTestFolder().path;
  const options: CleanOptions = {
    stateDir: join(folder, 'ctd'),
    clock: realClock,
    log,
    network: { subnets: [podRange], bridge: name },
    sharedFolders: [join(folder, 'pods')],
    deleteState: true,
    cgroupRoots: [groupOf(name)],
  };
  const leftovers = (): Promise<string[]> => findLeftovers(folder, name);
  const before = realClock.monotonic();
  const starting = startContainerd(options);
  const removeAll = async (): Promise<string[]> => {
    // What begins behind its end would stay; how it begins is its caller's.
    await starting.catch(() => undefined);
    await cleanContainerd(options);
    const left = await leftovers();
    await rm(folder, { recursive: true, force: true });
    release();
    forget();
    return left;
  };
  let closed: Promise<string[]> | undefined;
  const close = (): Promise<string[]> => (closed ??= removeAll());
  const forget = whenBrokenOff(close);
  const { endpoint } = await starting;
  const startMs = realClock.monotonic() - before;
  for (const [file, ref] of [
    ['busybox.tar', TEST_IMAGE],
    ['spare.tar', SPARE_IMAGE],
  ] as const) {
    const config = { Cmd: ['sh'], Labels: { ref } };
    await buildBusyboxImage(join(folder, file), { refs: [ref], config });
    await importImage(endpoint, join(folder, file));
  }
  return { folder, podRange, podGateway, name, options, endpoint, startMs, leftovers, close };
}

/** Of its pods. */
function groupOf(name: string): string {
  return `/binnacle-${name}`;
}

const shell = (script: string): { command: string[] } => ({ command: ['sh', '-c', script] });

/** How containers of the contract behave that are real, with the testbed's images. */
export const shellBehaviours = {
  image: TEST_IMAGE,
  spareImage: SPARE_IMAGE,
  absentImage: { name: '127.0.0.1:1/nowhere:1', command: [] },
  obedient: shell('trap "exit 0" TERM; touch /listening; sleep 1000 & wait'),
  stubborn: shell('trap "" TERM; while :; do sleep 1000; done'),
  exits: (code: number) => shell(`sleep 0.2; echo hello; exit ${code}`),
  serving: shell('echo hello >/tmp/index.html; httpd -p 8080 -h /tmp; touch /listening; sleep 1000'),
  // Real time passes by itself while a test awaits what it started.
  elapse: () => sleep(realClock, 1),
};

/** The contract's harness on a testbed. */
export function criHarness(bed: Testbed): RuntimeHarness {
  return {
    ...shellBehaviours,
    connect: () => connectCriRuntime({ endpoint: bed.endpoint, clock: realClock, log: silentLogger }),
    cgroupParent: (uid) => `${groupOf(bed.name)}/besteffort/pod${uid}`,
    logDirectory: (uid) => join(bed.folder, 'logs', uid),
    stateFolder: bed.options.stateDir,
    readLog: (path) => readFile(path, 'utf8'),
    close: async () => {
      const left = await bed.close();
      if (left.length > 0) throw new RangeError(`left behind: ${left.join(', ')}`);
    },
  };
}

async function findLeftovers(folder: string, bridge: string): Promise<string[]> {
  const processes = await findProcesses((argv) => isAboutFolder(argv.join(' '), folder));
  const mounts = (await listMounts()).filter((mount) => mount.path.startsWith(folder));
  const links = (await run('ip', ['-o', 'link'])).stdout.includes(`${bridge}:`) ? [`bridge ${bridge}`] : [];
  const cgroups: string[] = [];
  for (const hierarchy of ['', ...(await readdir('/sys/fs/cgroup'))]) {
    const path = join('/sys/fs/cgroup', hierarchy, `binnacle-${bridge}`);
    if (await exists(path)) cgroups.push(path);
  }
  const rules = await run('iptables', ['-t', 'nat', '-S']);
  const ours = rules.stdout.split('\n').filter((rule) => rule.includes(bridge));
  return [
    ...processes.map((info) => `process ${info.pid} ${info.argv.join(' ')}`),
    ...mounts.map((mount) => `mount ${mount.path}`),
    ...links,
    ...cgroups,
    ...ours,
  ];
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
