import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainContainer, plainSandbox } from '../testing/harness.ts';
import type { SandboxConfig } from '../ports.ts';
import {
  fromContainerStatus,
  fromFilesystem,
  fromImage,
  fromResources,
  fromSandbox,
  fromSandboxStatus,
  fromStats,
  resourcesOfInfo,
  toContainerMessage,
  toResourcesMessage,
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

test('a pod with users of its own: it, its containers and their mounts are mapped alike', () => {
  const users = [{ containerId: 0, hostId: 131_072, length: 65_536 }];
  const namespaces = { hostNetwork: false, hostPid: false, hostIpc: false, sharePid: false, users };
  const ids = [{ container_id: 0, host_id: 131_072, length: 65_536 }];
  const wanted = { mode: 'POD', uids: ids, gids: ids };
  const options = (message: unknown): object | undefined =>
    (message as { linux: { security_context: { namespace_options: { userns_options?: object } } } }).linux
      .security_context.namespace_options.userns_options;
  const sandbox = plainSandbox(PLACES, 'u1', { namespaces });
  assert.deepEqual(options(toSandboxMessage(sandbox, {})), wanted);
  const mounts = [{ hostPath: '/a', containerPath: '/b', readOnly: false, propagation: 'private' as const }];
  const container = toContainerMessage({ ...plainContainer('a', ['b']), mounts }, sandbox, {});
  assert.deepEqual(options(container), wanted);
  const [mount] = (container as { mounts: { uidMappings?: object; gidMappings?: object }[] }).mounts;
  assert.deepEqual([mount?.uidMappings, mount?.gidMappings], [ids, ids]);
  const shared = toContainerMessage({ ...plainContainer('a', ['b']), mounts }, plainSandbox(PLACES, 'u1'), {});
  assert.ok(!('uidMappings' in ((shared as { mounts: object[] }).mounts[0] ?? {})));
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

test('groups policies, and mounts that are read only with all that is below, only where they are asked for', () => {
  const mount = { hostPath: '/a', containerPath: '/b', readOnly: true, propagation: 'private' as const };
  const messageOf = (groupsPolicy: 'Strict' | undefined, isRecursivelyReadOnly: boolean): object => {
    const of = groupsPolicy === undefined ? {} : { groupsPolicy };
    const plain = plainContainer('a', ['b']);
    const config = { ...plain, mounts: [{ ...mount, isRecursivelyReadOnly }], security: { ...plain.security, ...of } };
    return toContainerMessage(config, plainSandbox(PLACES, 'u1', of), {});
  };
  assert.partialDeepStrictEqual(messageOf('Strict', true), {
    mounts: [{ readonly: true, recursive_read_only: true }],
    linux: { security_context: { supplemental_groups_policy: 'Strict' } },
  });
  assert.doesNotMatch(JSON.stringify(messageOf(undefined, false)), /recursive_read_only|supplemental_groups_policy/);
  assert.partialDeepStrictEqual(toSandboxMessage(plainSandbox(PLACES, 'u1', { groupsPolicy: 'Strict' }), {}), {
    linux: { security_context: { supplemental_groups_policy: 'Strict' } },
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
      user: { linux: { uid: 1, gid: 2, supplemental_groups: [3] } },
    },
    's',
  );
  assert.deepEqual(status.user, { uid: 1, gid: 2, groups: [3] });
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

test('what a container may use: what is not set is zero, which CRI takes for unset', () => {
  const none = {
    cpu_shares: 0,
    cpu_quota: 0,
    cpu_period: 0,
    memory_limit_in_bytes: 0,
    oom_score_adj: 0,
    cpuset_cpus: '',
    cpuset_mems: '',
  };
  for (const [name, resources, message] of [
    ['nothing', {}, {}],
    ['shares', { cpuShares: 2 }, { cpu_shares: 2 }],
    ['no limit of CPU', { cpuQuota: -1, cpuPeriod: 100_000 }, { cpu_quota: -1, cpu_period: 100_000 }],
    ['memory', { memoryLimitBytes: 4096 }, { memory_limit_in_bytes: 4096 }],
    ['who is killed last', { oomScoreAdj: -997 }, { oom_score_adj: -997 }],
    ['CPUs of its own', { cpusetCpus: '0-3,8' }, { cpuset_cpus: '0-3,8' }],
    [
      'huge pages',
      { hugePageLimits: [{ pageSize: '2MB', limitBytes: 5 }] },
      { hugepage_limits: [{ page_size: '2MB', limit: 5 }] },
    ],
    ['memory of certain nodes', { cpusetMems: '0-1' }, { cpuset_mems: '0-1' }],
  ] as const) {
    assert.deepEqual(toResourcesMessage(resources), { ...none, ...message }, name);
  }
});

test('what is read back without a period or a quota has none', () => {
  const told = { cpu_period: 0, cpu_quota: 0, cpu_shares: 0, memory_limit_in_bytes: 0 };
  assert.deepEqual(fromResources(told), {});
  assert.deepEqual(fromResources({ ...told, cpu_quota: -1, cpu_period: 100_000 }), {}, 'no limit');
  assert.deepEqual(fromResources({ ...told, cpu_quota: 5000 }), {}, 'a quota of no period');
});

test('a sandbox of which little is told', () => {
  const bare = { id: 's', metadata: null, state: '', created_at: 1_999_999, labels: { a: 'b' }, annotations: {} };
  const unnamed = { name: '', namespace: '', uid: '', attempt: 0 };
  const wanted = { id: 's', ...unnamed, state: 'notReady', createdAt: 1, labels: { a: 'b' }, annotations: {} };
  assert.deepEqual(fromSandbox(bare), wanted);
  const metadata = { name: 'p', namespace: 'n', uid: 'u', attempt: 3 };
  assert.deepEqual(fromSandbox({ ...bare, metadata, state: 'SANDBOX_READY' }), {
    ...wanted,
    ...metadata,
    state: 'ready',
  });
});

const value = (n: number): { value: number } => ({ value: n });
const CPU = { timestamp: 5_000_000, usage_core_nano_seconds: value(7), usage_nano_cores: value(0) };
const MEMORY = {
  working_set_bytes: value(1),
  available_bytes: value(2),
  usage_bytes: value(3),
  rss_bytes: value(4),
  page_faults: value(0),
  major_page_faults: value(6),
};
const NO_MEMORY = {
  working_set_bytes: null,
  available_bytes: null,
  usage_bytes: null,
  rss_bytes: null,
  page_faults: null,
  major_page_faults: null,
};
const NO_STATS = { attributes: { id: 'c' }, cpu: null, memory: null, writable_layer: null };
const UNUSED = { id: 'c', cpuUsageNanos: 0, memoryWorkingSetBytes: 0 };
for (const [name, message, wanted] of [
  ['nothing is told', NO_STATS, UNUSED],
  ['not even whose it is', { ...NO_STATS, attributes: null }, { ...UNUSED, id: '' }],
  ['CPU; zero is told too', { ...NO_STATS, cpu: CPU }, { ...UNUSED, at: 5, cpuUsageNanos: 7, cpuNanoCores: 0 }],
  [
    'CPU that was never measured',
    { ...NO_STATS, cpu: { timestamp: 0, usage_core_nano_seconds: null, usage_nano_cores: null } },
    UNUSED,
  ],
  [
    'memory',
    { ...NO_STATS, memory: MEMORY },
    {
      ...UNUSED,
      memoryWorkingSetBytes: 1,
      memoryAvailableBytes: 2,
      memoryUsageBytes: 3,
      memoryRssBytes: 4,
      pageFaults: 0,
      majorPageFaults: 6,
    },
  ],
  [
    'memory without a limit, as containerd tells it',
    { ...NO_STATS, memory: { ...NO_MEMORY, available_bytes: value(0), working_set_bytes: value(1) } },
    { ...UNUSED, memoryWorkingSetBytes: 1 },
  ],
  ['memory without figures', { ...NO_STATS, memory: NO_MEMORY }, UNUSED],
  [
    'its layer',
    { ...NO_STATS, writable_layer: { used_bytes: value(8), inodes_used: null } },
    { ...UNUSED, filesystem: { usedBytes: 8, inodesUsed: 0 } },
  ],
] as const)
  test(`figures of a container: ${name}`, () => assert.deepEqual(fromStats(message), wanted));

test('a file system: its folder, and what is told of its use', () => {
  const told = { fs_id: { mountpoint: '/a' }, used_bytes: { value: 1 }, inodes_used: { value: 2 } };
  assert.deepEqual(fromFilesystem(told), [{ folder: '/a', usedBytes: 1, inodesUsed: 2 }]);
  assert.deepEqual(fromFilesystem({ ...told, used_bytes: null, inodes_used: null }), [{ folder: '/a' }]);
  for (const fs_id of [null, { mountpoint: '' }]) assert.deepEqual(fromFilesystem({ ...told, fs_id }), []);
});
