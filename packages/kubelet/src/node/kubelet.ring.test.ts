import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { Scope, silentLogger, sleep } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { takeTestRanges, makeTestFolder, whenBrokenOff } from '@binnacle/base/testing';
import type { TestRanges } from '@binnacle/base/testing';
import {
  buildBusyboxImage,
  cleanContainerd,
  connectCriRuntime,
  importImage,
  startContainerd,
} from '@binnacle/runtime/cri';
import type { ContainerStatus } from '@binnacle/api/core/v1';
import type { CleanOptions } from '@binnacle/runtime/cri';
import type { Runtime } from '@binnacle/runtime';
import { kubeletConfig } from '../config.ts';
import { createKubelet } from '../kubelet.ts';
import type { Kubelet, KubeletPod } from '../kubelet.ts';
import { createFileSource } from '../source/file-source.ts';
import { EventLog } from '../testing/node.ts';
import { createHostFiles } from './files.ts';
import { readMachine } from './machine.ts';
import { nodeNetworkProbe } from './network-probe.ts';

const run = promisify(execFile);
const CGROUP_ROOT = '/binnacle-kubelet-ring';

let folder: string;
let ranges: TestRanges;
let options: CleanOptions;
let runtime: Runtime;
let forget: () => void;

interface Running {
  readonly kubelet: Kubelet;
  readonly events: EventLog;
  readonly scope: Scope;
}

before(async () => {
  folder = makeTestFolder().path;
  // Root of a pod with users of its own is nobody on the node, and has to come to its root file system.
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'pods'), { recursive: true });
  ranges = await takeTestRanges();
  options = {
    stateDir: join(folder, 'ctd'),
    clock: realClock,
    log: silentLogger,
    network: { subnets: [ranges.pods], bridge: ranges.name },
    sharedFolders: [join(folder, 'root')],
    deleteState: true,
    cgroupRoots: [CGROUP_ROOT],
  };
  await mkdir(join(folder, 'root'), { recursive: true });
  const starting = startContainerd(options);
  // What begins behind its end would stay; how it begins is told below.
  forget = whenBrokenOff(() => starting.catch(() => undefined).then(() => cleanContainerd(options)));
  const { endpoint } = await starting;
  await buildBusyboxImage(join(folder, 'busybox.tar'), { refs: ['busybox:ring'] });
  await importImage(endpoint, join(folder, 'busybox.tar'));
  runtime = await connectCriRuntime({ endpoint, clock: realClock, log: silentLogger });
});

after(async () => {
  await runtime.close();
  await cleanContainerd(options);
  forget();
  await run('sh', [
    '-c',
    `rmdir /sys/fs/cgroup/*${CGROUP_ROOT}/besteffort /sys/fs/cgroup/*${CGROUP_ROOT} 2>/dev/null || true`,
  ]);
  await rm(folder, { recursive: true, force: true });
  ranges.release();
});

async function startKubelet(): Promise<Running> {
  const scope = new Scope('ring');
  const events = new EventLog();
  const root = join(folder, 'root');
  const files = createHostFiles({ roots: [root, join(folder, 'logs')] });
  const kubelet = createKubelet({
    config: kubeletConfig({
      nodeName: 'ring',
      rootDirectory: root,
      podLogsDirectory: join(folder, 'logs'),
      cgroupRoot: CGROUP_ROOT,
    }),
    runtime,
    sources: [createFileSource({ path: join(folder, 'pods'), files, clock: realClock, log: silentLogger })],
    events,
    files,
    network: nodeNetworkProbe,
    machine: await readMachine({ rootDirectory: root }),
    clock: realClock,
    random: secureRandom,
    log: silentLogger,
    scope,
  });
  kubelet.start();
  await kubelet.whenReady();
  return { kubelet, events, scope };
}

async function until<T>(what: string, look: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  const deadline = realClock.monotonic() + 20_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (realClock.monotonic() > deadline) throw new RangeError(`waited in vain for ${what}`);
    await sleep(realClock, 5);
  }
}

function podNamed(of: Running, name: string): KubeletPod | undefined {
  return of.kubelet.pods().findLast((p) => p.pod.metadata.name === name);
}

const WEB = `
apiVersion: v1
kind: Pod
metadata: { name: web, labels: { app: web } }
spec:
  terminationGracePeriodSeconds: 1
  initContainers:
    - { name: prepare, image: 'busybox:ring', command: [sh, -c, 'echo $(GREETING) > /www/index.html'], env: [{ name: GREETING, value: hello }], volumeMounts: [{ name: www, mountPath: /www }] }
  containers:
    - name: main
      image: busybox:ring
      command: [sh, -c, 'echo started; cat /etc/hosts; exec httpd -f -p 80 -h /www']
      resources: { limits: { memory: 64Mi, cpu: 200m } }
      ports: [{ name: http, containerPort: 80 }]
      readinessProbe: { httpGet: { path: /, port: http }, periodSeconds: 1 }
      livenessProbe: { exec: { command: [test, -f, /www/index.html] }, periodSeconds: 1, failureThreshold: 1 }
      volumeMounts: [{ name: www, mountPath: /www }, { name: info, mountPath: /info }, { name: ram, mountPath: /ram }]
  volumes:
    - { name: www, emptyDir: {} }
    - { name: ram, emptyDir: { medium: Memory, sizeLimit: 8Mi } }
    - { name: info, downwardAPI: { items: [{ path: labels, fieldRef: { fieldPath: metadata.labels } }] } }
`;

test('a static pod on containerd: volumes, probes, logs, adoption, restart, removal', async () => {
  const first = await startKubelet();
  const manifest = join(folder, 'pods', 'web.yaml');
  await writeFile(manifest, WEB);
  const ready = await until('Ready', () => {
    const pod = podNamed(first, 'web-ring');
    return pod?.status.conditions?.find((c) => c.type === 'Ready')?.status === 'True' ? pod : undefined;
  });
  assert.equal(ready.status.phase, 'Running');
  const id = ready.status.containerStatuses?.[0]?.containerID?.split('://')[1] ?? '';
  const text = async (...command: string[]): Promise<string> =>
    new TextDecoder().decode((await runtime.exec(id, command, 5_000)).stdout);
  assert.equal(await text('cat', '/www/index.html'), 'hello\n');
  assert.equal(await text('cat', '/info/labels'), 'app="web"');
  assert.match(await text('grep', '/ram', '/proc/mounts'), /tmpfs/);
  assert.match(await text('cat', '/etc/hosts'), new RegExp(`${ready.status.podIP}\tweb-ring`));
  let log = '';
  const logOptions = { follow: false, previous: false, timestamps: false, tailLines: 100, stream: 'All' } as const;
  for await (const part of first.kubelet.logs({
    namespace: 'default',
    pod: 'web-ring',
    container: 'main',
    options: logOptions,
  })) {
    log += new TextDecoder().decode(part);
  }
  assert.match(log, /^started\n# Kubernetes-managed hosts file/);
  await first.scope.close();

  const second = await startKubelet();
  const adopted = await until('adoption', () => podNamed(second, 'web-ring'));
  await until('Running', () => podNamed(second, 'web-ring')?.status.phase === 'Running' || undefined);
  assert.equal(podNamed(second, 'web-ring')?.status.containerStatuses?.[0]?.containerID, `containerd://${id}`);
  await runtime.exec(id, ['rm', '/www/index.html'], 5_000);
  await until(
    'a restart by the liveness probe',
    () => podNamed(second, 'web-ring')?.status.containerStatuses?.[0]?.restartCount === 1 || undefined,
  );
  assert.ok(second.events.reasons().includes('Unhealthy'));

  await rm(manifest);
  await until('the end', async () => (second.kubelet.pods().length === 0 ? true : undefined));
  assert.deepEqual(await runtime.listSandboxes(), []);
  assert.deepEqual(await createHostFiles().list(join(folder, 'root', 'pods')), []);
  const { stdout } = await run('sh', ['-c', `ls -d /sys/fs/cgroup/*${CGROUP_ROOT}/*/pod* 2>/dev/null || true`]);
  assert.equal(stdout, '');
  assert.doesNotMatch(await readFile('/proc/mounts', 'utf8'), new RegExp(`${adopted.pod.metadata.uid}/volumes`));
  await second.scope.close();
});

const OWN_USERS = `
apiVersion: v1
kind: Pod
metadata: { name: users }
spec:
  hostUsers: false
  terminationGracePeriodSeconds: 1
  containers:
    - { name: main, image: 'busybox:ring', command: [sh, -c, 'echo mine > /v/file; sleep 1000'], volumeMounts: [{ name: v, mountPath: /v }] }
  volumes: [{ name: v, emptyDir: {} }]
`;

test('a pod with users of its own has them where the engine can, and is told where it cannot', async () => {
  const node = await startKubelet();
  const manifest = join(folder, 'pods', 'users.yaml');
  await writeFile(manifest, OWN_USERS);
  const uid = (await until('the pod', () => podNamed(node, 'users-ring'))).pod.metadata.uid ?? '';
  if ((await runtime.status()).handlers.some((handler) => handler.name === '' && handler.userNamespaces)) {
    const { status } = await until('Running', () => {
      const pod = podNamed(node, 'users-ring');
      return pod?.status.phase === 'Running' ? pod : undefined;
    });
    const id = status.containerStatuses?.[0]?.containerID?.split('://')[1] ?? '';
    const map = await runtime.exec(id, ['cat', '/proc/self/uid_map'], 5_000);
    assert.match(new TextDecoder().decode(map.stdout), /^\s*0\s+65536\s+65536\s*$/);
    const file = join(folder, 'root', 'pods', uid, 'volumes', 'kubernetes.io~empty-dir', 'v', 'file');
    await until('its file', async () => (await stat(file).catch(() => undefined))?.uid === 0);
  } else {
    const words = "can't set `spec.hostUsers: false`, runtime does not support user namespaces";
    const line = `Warning FailedCreatePodSandBox Failed to create pod sandbox: ${words}`;
    await until('the refusal', () => node.events.lines.includes(line));
  }
  await rm(manifest);
  await until('the end', () => podNamed(node, 'users-ring') === undefined);
  assert.deepEqual(await createHostFiles().list(join(folder, 'root', 'pods')), []);
  await node.scope.close();
});

const READ_ONLY_BELOW = (path: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: below }
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - { name: may, image: 'busybox:ring', command: [sleep, '1000'], volumeMounts: [{ name: v, mountPath: /v, readOnly: true, recursiveReadOnly: IfPossible }] }
    - { name: must, image: 'busybox:ring', command: [sleep, '1000'], volumeMounts: [{ name: v, mountPath: /v, readOnly: true, recursiveReadOnly: Enabled }] }
  volumes: [{ name: v, hostPath: { path: '${path}' } }]
`;

test('what is mounted below a volume is read only too where the engine can, and is told where it cannot', async () => {
  const node = await startKubelet();
  const volume = join(folder, 'root', 'below');
  await mkdir(join(volume, 'in'), { recursive: true });
  await run('mount', ['-t', 'tmpfs', 'none', join(volume, 'in')]);
  try {
    const manifest = join(folder, 'pods', 'below.yaml');
    await writeFile(manifest, READ_ONLY_BELOW(volume));
    const handlers = (await runtime.status()).handlers.filter(({ name }) => name === '');
    const isSupported = handlers.some((handler) => handler.recursiveReadOnlyMounts);
    const statusOf = (name: string): ContainerStatus | undefined =>
      podNamed(node, 'below-ring')?.status.containerStatuses?.find((one) => one.name === name);
    const may = await until('the first container', () => {
      const found = statusOf('may');
      return found?.state?.running === undefined ? undefined : found;
    });
    const wrote = await runtime.exec(may.containerID?.split('://')[1] ?? '', ['touch', '/v/in/x'], 5_000);
    assert.deepEqual(
      [wrote.exitCode, may.volumeMounts?.[0]?.recursiveReadOnly],
      isSupported ? [1, 'Enabled'] : [0, 'Disabled'],
    );
    const must = await until('the other one', () => {
      const state = statusOf('must')?.state;
      return (isSupported ? state?.running : state?.waiting?.reason === 'CreateContainerConfigError')
        ? state
        : undefined;
    });
    const words = 'volume "v" requested recursive read-only mode, but it is not supported by the runtime';
    assert.equal(must.waiting?.message, isSupported ? undefined : words);
    await rm(manifest);
    await until('the end', () => podNamed(node, 'below-ring') === undefined);
  } finally {
    await run('umount', [join(volume, 'in')]);
    await node.scope.close();
  }
});

const STRICT = `
apiVersion: v1
kind: Pod
metadata: { name: strict }
spec:
  terminationGracePeriodSeconds: 1
  securityContext: { runAsUser: 1000, runAsGroup: 1000, supplementalGroups: [2000], supplementalGroupsPolicy: Strict }
  containers: [{ name: main, image: 'busybox:ring', command: [sleep, '1000'] }]
`;

test('groups of the image are kept out where the engine can, and the pod is sent away where it cannot', async () => {
  const node = await startKubelet();
  const manifest = join(folder, 'pods', 'strict.yaml');
  await writeFile(manifest, STRICT);
  const isSupported = (await runtime.status()).supportsGroupsPolicy === true;
  const { status } = await until('its phase', () => {
    const pod = podNamed(node, 'strict-ring');
    return pod?.status.phase === (isSupported ? 'Running' : 'Failed') ? pod : undefined;
  });
  const user = { uid: 1000, gid: 1000, supplementalGroups: [1000, 2000] };
  assert.deepEqual(
    [status.reason, status.containerStatuses?.[0]?.user?.linux],
    isSupported ? [undefined, user] : ['SupplementalGroupsPolicyNotSupported', undefined],
  );
  await rm(manifest);
  await until('the end', () => podNamed(node, 'strict-ring') === undefined);
  await node.scope.close();
});

const ATTACK = `
apiVersion: v1
kind: Pod
metadata: { name: attack }
spec:
  terminationGracePeriodSeconds: 1
  securityContext: { runAsUser: 1000, fsGroup: 2000 }
  initContainers:
    - { name: plant, image: 'busybox:ring', securityContext: { runAsUser: 0 }, command: [sh, -c, 'ln -s / /v/evil; mkdir /v/in; ln -s in /v/alias; echo 1 > /v/in/file'], volumeMounts: [{ name: v, mountPath: /v }] }
  containers:
    - { name: evil, image: 'busybox:ring', command: [sleep, '1000'], volumeMounts: [{ name: v, mountPath: /host, subPath: evil }] }
    - { name: deeper, image: 'busybox:ring', command: [sleep, '1000'], volumeMounts: [{ name: v, mountPath: /host, subPath: evil/etc/passwd }] }
    - name: good
      image: busybox:ring
      command: [sleep, '1000']
      env: [{ name: WHERE, value: made }]
      volumeMounts:
        - { name: v, mountPath: /alias, subPath: alias }
        - { name: v, mountPath: /file, subPath: in/file, readOnly: true }
        - { name: v, mountPath: /made, subPathExpr: $(WHERE)/here }
  volumes: [{ name: v, emptyDir: {} }]
`;

test('a link to the host planted in a volume gives a container nothing of the host', async (t) => {
  const running = await startKubelet();
  t.after(() => running.scope.close());
  const manifest = join(folder, 'pods', 'attack.yaml');
  await writeFile(manifest, ATTACK);
  const status = (name: string): ContainerStatus | undefined =>
    podNamed(running, 'attack-ring')?.status.containerStatuses?.find((c) => c.name === name);
  const good = await until('the good one', () => (status('good')?.state?.running ? status('good') : undefined));
  for (const name of ['evil', 'deeper']) {
    await until(`${name} refused`, () => status(name)?.state?.waiting?.reason === 'CreateContainerConfigError');
    assert.match(status(name)?.state?.waiting?.message ?? '', /^failed to prepare subPath for volumeMount "v"/);
    assert.equal(status(name)?.containerID, undefined);
  }
  const id = good.containerID?.split('://')[1] ?? '';
  const shell = 'cat /alias/file /file; touch /made/mine && stat -c %a:%g /made; touch /file 2>/dev/null || echo ro';
  const { stdout, stderr } = await runtime.exec(id, ['sh', '-c', shell], 5_000);
  assert.equal(new TextDecoder().decode(stdout), '1\n1\n2777:2000\nro\n', new TextDecoder().decode(stderr));

  // The container starts again after its volume was turned into a trap.
  const { uid = '' } = podNamed(running, 'attack-ring')?.pod.metadata ?? {};
  const root = join(folder, 'root', 'pods', uid);
  await rm(join(root, 'volumes/kubernetes.io~empty-dir/v/made'), { recursive: true });
  await symlink('/etc', join(root, 'volumes/kubernetes.io~empty-dir/v/made'));
  await runtime.stopContainer(id, 0);
  await until('the trap is refused', () => status('good')?.state?.waiting?.reason === 'CreateContainerConfigError');

  await rm(manifest);
  await until('the end', () => (running.kubelet.pods().length === 0 ? true : undefined));
  assert.doesNotMatch(await readFile('/proc/self/mountinfo', 'utf8'), new RegExp(uid));
  assert.deepEqual(await createHostFiles().list(join(folder, 'root', 'pods')), []);
  assert.ok((await readFile('/etc/passwd', 'utf8')).length > 0);
});

test('from the manifest to Running beside the bare CRI calls', async (t) => {
  const running = await startKubelet();
  t.after(() => running.scope.close());
  const took: number[] = [];
  for (let i = 0; i < 5; i++) {
    const began = realClock.monotonic();
    await writeFile(
      join(folder, 'pods', `p${i}.yaml`),
      `{apiVersion: v1, kind: Pod, metadata: {name: p${i}}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: 'busybox:ring', command: [sleep, '1000']}]}}`,
    );
    await until('Running', () => podNamed(running, `p${i}-ring`)?.status.phase === 'Running' || undefined);
    took.push(realClock.monotonic() - began);
  }
  const bare = await measureBare();
  const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0;
  t.diagnostic(
    `to Running: ${median(took).toFixed(1)} ms (20 ms of it the folder's quiet time); bare sandbox, create, start: ${median(bare).toFixed(1)} ms`,
  );
  for (let i = 0; i < 5; i++) await rm(join(folder, 'pods', `p${i}.yaml`));
  await until('the end', () => (running.kubelet.pods().length === 0 ? true : undefined));
});

async function measureBare(): Promise<number[]> {
  const pod = {
    name: 'bare',
    namespace: 'x',
    attempt: 0,
    hostname: 'bare',
    logDirectory: join(folder, 'bare'),
    dns: { servers: [], searches: [], options: [] },
    ports: [],
    labels: {},
    annotations: {},
    namespaces: { hostNetwork: false, hostPid: false, hostIpc: false, sharePid: false },
    sysctls: {},
    supplementalGroups: [],
    privileged: false,
    seccomp: 'RuntimeDefault' as const,
    runtimeHandler: '',
  };
  const security = {
    privileged: false,
    readOnlyRootFilesystem: false,
    noNewPrivileges: false,
    supplementalGroups: [],
    addCapabilities: [],
    dropCapabilities: [],
    seccomp: 'Unconfined' as const,
    maskedPaths: [],
    readOnlyPaths: [],
  };
  const image = await runtime.imageStatus('busybox:ring');
  const took: number[] = [];
  for (let i = 0; i < 5; i++) {
    const config = { ...pod, uid: `bare-${i}`, cgroupParent: `${CGROUP_ROOT}/besteffort/podbare-${i}` };
    const began = realClock.monotonic();
    const sandbox = await runtime.runSandbox(config);
    const id = await runtime.createContainer(
      sandbox,
      {
        name: 'c',
        attempt: 0,
        image: image?.id ?? '',
        imageName: 'busybox:ring',
        command: ['sleep', '1000'],
        args: [],
        workingDir: '',
        env: [],
        mounts: [],
        devices: [],
        labels: {},
        annotations: {},
        logPath: 'c.log',
        stdin: false,
        stdinOnce: false,
        tty: false,
        resources: {},
        security,
      },
      config,
    );
    await runtime.startContainer(id);
    took.push(realClock.monotonic() - began);
    await runtime.stopContainer(id, 0);
    await runtime.stopSandbox(sandbox);
    await runtime.removeSandbox(sandbox);
    await run('sh', ['-c', `rmdir /sys/fs/cgroup/*${config.cgroupParent} 2>/dev/null || true`]);
  }
  return took;
}
