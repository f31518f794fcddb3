import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainContainer, plainSandbox } from '../testing/harness.ts';
import type { SandboxConfig } from '../ports.ts';
import {
  fromContainerStatus,
  fromImage,
  fromResources,
  fromSandboxStatus,
  resourcesOfInfo,
  toContainerMessage,
  toSandboxMessage,
} from './translate.ts';

const PLACES = { logDirectory: (uid: string) => `/logs/${uid}`, cgroupParent: (uid: string) => `/kubepods/pod${uid}` };

interface SandboxMessage {
  readonly hostname: string;
  readonly labels: object;
  readonly linux: { readonly security_context: { readonly [field: string]: unknown } };
}

function sandboxMessage(changes: Partial<SandboxConfig>): SandboxMessage {
  return toSandboxMessage(plainSandbox(PLACES, 'u1', changes), { owner: 'me' }) as SandboxMessage;
}

test('the namespaces of a pod', () => {
  const none = { hostNetwork: false, hostPid: false, hostIpc: false, sharePid: false };
  for (const [name, namespaces, options] of [
    ['own', none, { network: 'POD', pid: 'CONTAINER', ipc: 'POD' }],
    ['host network', { ...none, hostNetwork: true }, { network: 'NODE', pid: 'CONTAINER', ipc: 'POD' }],
    ['host pid and ipc', { ...none, hostPid: true, hostIpc: true }, { network: 'POD', pid: 'NODE', ipc: 'NODE' }],
    ['shared pid', { ...none, sharePid: true }, { network: 'POD', pid: 'POD', ipc: 'POD' }],
  ] as const) {
    assert.deepEqual(sandboxMessage({ namespaces }).linux.security_context['namespace_options'], options, name);
  }
});

test('a host-network pod has no hostname of its own', () => {
  assert.equal(sandboxMessage({}).hostname, 'pod-u1');
  const namespaces = { hostNetwork: true, hostPid: false, hostIpc: false, sharePid: false };
  assert.equal(sandboxMessage({ namespaces, hostname: 'node' }).hostname, '');
});

test('who it runs as is left out when unset, 0 is set', () => {
  const plain = sandboxMessage({}).linux.security_context;
  assert.ok(!('run_as_user' in plain) && !('run_as_group' in plain));
  assert.deepEqual(sandboxMessage({ runAsUser: 0 }).linux.security_context['run_as_user'], { value: 0 });
});

test('labels of the pod and of the owner are put on everything', () => {
  const labels = { 'io.kubernetes.pod.uid': 'u1', owner: 'me' };
  assert.deepEqual(sandboxMessage({}).labels, labels);
  const sandbox = plainSandbox(PLACES, 'u1');
  const message = toContainerMessage(plainContainer('a', ['b']), sandbox, { owner: 'me' }) as { labels: object };
  assert.deepEqual(message.labels, { 'io.kubernetes.container.name': 'main', ...labels });
});

test('privileged containers have no seccomp profile', () => {
  const config = plainContainer('a', ['b']);
  const sandbox = plainSandbox(PLACES, 'u1');
  const seccomp = (privileged: boolean): unknown => {
    const security = { ...config.security, privileged };
    const message = toContainerMessage({ ...config, security }, sandbox, {}) as {
      linux: { security_context: { seccomp: unknown } };
    };
    return message.linux.security_context.seccomp;
  };
  assert.deepEqual(seccomp(false), { profile_type: 'RuntimeDefault' });
  assert.deepEqual(seccomp(true), { profile_type: 'Unconfined' });
});

test('a profile in a file, labels, devices, and the processes of another container', () => {
  const config = plainContainer('a', ['b']);
  const labels = { user: 'u', role: '', type: 't', level: '' };
  const security = { ...config.security, seccomp: { file: '/p.json' }, selinux: labels };
  const devices = [{ hostPath: '/dev/loop1', containerPath: '/dev/x', permissions: 'r' }];
  const asked = { ...config, security, devices, joinsProcessesOf: 'c1' };
  assert.partialDeepStrictEqual(toContainerMessage(asked, plainSandbox(PLACES, 'u1'), {}), {
    devices: [{ host_path: '/dev/loop1', container_path: '/dev/x', permissions: 'r' }],
    linux: {
      security_context: {
        namespace_options: { pid: 'TARGET', target_id: 'c1' },
        seccomp: { profile_type: 'Localhost', localhost_ref: '/p.json' },
        selinux_options: labels,
      },
    },
  });
});

test('nanoseconds become whole milliseconds', () => {
  const status = fromContainerStatus(
    {
      id: 'c',
      metadata: { name: 'main', attempt: 2 },
      image: { image: 'a:1' },
      image_ref: 'sha256:1',
      state: 'CONTAINER_EXITED',
      created_at: 1_795_194_453_447_123_456,
      started_at: 1_795_194_453_516_999_000,
      finished_at: -62_135_596_800_000_000_000,
      labels: {},
      annotations: {},
      exit_code: 3,
      reason: 'Error',
      message: '',
      log_path: '/l',
      resources: null,
    },
    's',
  );
  assert.deepEqual([status.createdAt, status.startedAt, status.finishedAt], [1_795_194_453_447, 1_795_194_453_516, 0]);
  assert.deepEqual([status.state, status.attempt, status.sandboxId], ['exited', 2, 's']);
});

test('resources as CRI tells them, and as containerd of old tells them in passing', () => {
  const told = { cpu_period: 100_000, cpu_quota: 50_000, cpu_shares: 512, memory_limit_in_bytes: 4096 };
  const wanted = { cpuShares: 512, cpuQuota: 50_000, cpuPeriod: 100_000, memoryLimitBytes: 4096 };
  assert.deepEqual(fromResources(told), wanted);
  const resources = { cpu: { shares: 512, quota: 50_000, period: 100_000 }, memory: { limit: 4096 } };
  assert.deepEqual(resourcesOfInfo(JSON.stringify({ pid: 1, runtimeSpec: { linux: { resources } } })), wanted);
  for (const nothing of ['', '{}', '{"runtimeSpec":{}}']) assert.deepEqual(resourcesOfInfo(nothing), {});
});

test('addresses, users and absent parts', () => {
  const base = { id: 's', metadata: null, created_at: 0, labels: {}, annotations: {} };
  const ready = { ...base, state: 'SANDBOX_READY', network: { ip: '10.0.0.2', additional_ips: [{ ip: 'fd00::2' }] } };
  assert.deepEqual(fromSandboxStatus(ready).ips, ['10.0.0.2', 'fd00::2']);
  assert.equal(fromSandboxStatus(ready).state, 'ready');
  assert.deepEqual(fromSandboxStatus({ ...base, state: 'SANDBOX_NOTREADY', network: null }).ips, []);
  const image = { id: 'i', repo_tags: [], repo_digests: [], size: 1, uid: { value: 7 }, username: '', pinned: false };
  assert.deepEqual(fromImage(image), { id: 'i', tags: [], digests: [], sizeBytes: 1, uid: 7 });
  assert.deepEqual(fromImage({ ...image, uid: null, username: 'web' }).username, 'web');
});
