import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ContainerConfig, SandboxConfig } from '../ports.ts';
import { plainContainer, plainSandbox } from '../testing/harness.ts';
import type { ContainerMessage, StateMessage } from './messages.ts';
import type { ContainerRecord, SandboxRecord } from './record.ts';
import {
  fromImage,
  fromInspected,
  fromResources,
  fromStats,
  resolvConf,
  toContainerBody,
  toResources,
  toSandboxBody,
} from './translate.ts';

const places = { logDirectory: () => '/logs', cgroupParent: () => '/kubepods/podu1' };
const kept = { uid: 'u1', attempt: 0, createdAt: 5, labels: {}, annotations: {} };
const sandboxRecord: SandboxRecord = { ...kept, kind: 'sandbox', name: 'p', namespace: 'n', hostNetwork: false };
const record: ContainerRecord = {
  ...kept,
  kind: 'container',
  name: 'c',
  sandboxId: 'sb',
  imageName: 'busybox',
  logPath: '/logs/c/0.log',
  tty: false,
};

type Body = { readonly [name: string]: unknown } & { readonly HostConfig: { readonly [name: string]: unknown } };

function sandboxBody(changes: Partial<SandboxConfig> = {}, floor?: number): Body {
  const around = floor === undefined ? {} : { oomScoreFloor: floor };
  const config = plainSandbox(places, 'u1', changes);
  return toSandboxBody(config, sandboxRecord, { image: 'pause', labels: {}, around }) as Body;
}

function containerBody(changes: Partial<ContainerConfig>, pod: Partial<SandboxConfig> = {}, around = {}): Body {
  const config = { ...plainContainer('busybox', []), ...changes };
  return toContainerBody(config, record, { sandbox: plainSandbox(places, 'u1', pod), labels: {}, around }) as Body;
}

const security = (changes: Partial<ContainerConfig['security']>): Partial<ContainerConfig> => ({
  security: { ...plainContainer('', []).security, ...changes },
});

describe('a sandbox for Docker', () => {
  const host = { hostNetwork: true, hostPid: true, hostIpc: true, sharePid: false };
  for (const { name, body, field, wanted } of [
    { name: 'its network is made by CNI', body: sandboxBody(), field: 'NetworkMode', wanted: 'none' },
    { name: 'the network of the node', body: sandboxBody({ namespaces: host }), field: 'NetworkMode', wanted: 'host' },
    { name: 'memory is shared in the pod', body: sandboxBody(), field: 'IpcMode', wanted: 'shareable' },
    { name: 'processes of the node', body: sandboxBody({ namespaces: host }), field: 'PidMode', wanted: 'host' },
    { name: 'its group', body: sandboxBody(), field: 'CgroupParent', wanted: '/kubepods/podu1' },
    { name: 'it is killed last', body: sandboxBody(), field: 'OomScoreAdj', wanted: -998 },
    { name: 'as far as the machine lets it', body: sandboxBody({}, 0), field: 'OomScoreAdj', wanted: 0 },
  ]) {
    test(name, () => assert.deepEqual(body.HostConfig[field], wanted));
  }

  test('a host-network pod has the name of the node', () => {
    assert.equal(sandboxBody()['Hostname'], 'pod-u1');
    assert.equal(sandboxBody({ namespaces: host })['Hostname'], '');
  });
});

describe('a container for Docker', () => {
  const share = { hostNetwork: false, hostPid: false, hostIpc: false, sharePid: true };
  for (const { name, body, field, wanted } of [
    { name: 'network of its sandbox', body: containerBody({}), field: 'NetworkMode', wanted: 'container:sb' },
    { name: 'its own processes', body: containerBody({}), field: 'PidMode', wanted: '' },
    {
      name: "the pod's processes",
      body: containerBody({}, { namespaces: share }),
      field: 'PidMode',
      wanted: 'container:sb',
    },
    {
      name: "another container's",
      body: containerBody({ joinsProcessesOf: 'x' }),
      field: 'PidMode',
      wanted: 'container:x',
    },
    {
      name: 'no new privileges',
      body: containerBody(security({ noNewPrivileges: true })),
      field: 'SecurityOpt',
      wanted: ['no-new-privileges'],
    },
    {
      name: 'no seccomp',
      body: containerBody(security({ seccomp: 'Unconfined' })),
      field: 'SecurityOpt',
      wanted: ['seccomp=unconfined'],
    },
    {
      name: 'a profile',
      body: containerBody(security({ seccomp: { file: '/p' } }), {}, { profileText: '{}' }),
      field: 'SecurityOpt',
      wanted: ['seccomp={}'],
    },
    { name: 'nothing is masked', body: containerBody(security({ maskedPaths: [] })), field: 'MaskedPaths', wanted: [] },
    {
      name: 'no swap beside memory',
      body: containerBody({ resources: { memoryLimitBytes: 1024 } }),
      field: 'MemorySwap',
      wanted: 1024,
    },
    { name: 'no restart by Docker', body: containerBody({}), field: 'RestartPolicy', wanted: { Name: 'no' } },
  ]) {
    test(name, () => assert.deepEqual(body.HostConfig[field], wanted));
  }

  test('command and arguments are the image’s where the pod says nothing', () => {
    const none = containerBody({ command: [], args: [] });
    assert.deepEqual([Object.hasOwn(none, 'Entrypoint'), Object.hasOwn(none, 'Cmd')], [false, false]);
    const both = containerBody({ command: ['sh'], args: ['-c'] });
    assert.deepEqual([both['Entrypoint'], both['Cmd']], [['sh'], ['-c']]);
  });

  for (const { name, wish, image, wanted } of [
    { name: 'user', wish: { runAsUser: 7 }, image: '', wanted: '7' },
    { name: 'user and group', wish: { runAsUser: 7, runAsGroup: 8 }, image: '', wanted: '7:8' },
    { name: "a group beside the image's user", wish: { runAsGroup: 8 }, image: 'www:web', wanted: 'www:8' },
    { name: 'a group beside root', wish: { runAsGroup: 8 }, image: '', wanted: '0:8' },
    { name: "all the image's", wish: {}, image: 'www', wanted: undefined },
  ]) {
    test(name, () => assert.equal(containerBody(security(wish), {}, { imageUser: image })['User'], wanted));
  }

  test('mounts keep their propagation, devices their permissions', () => {
    const mounts = [{ hostPath: '/a', containerPath: '/b', readOnly: true, propagation: 'hostToContainer' as const }];
    const devices = [{ hostPath: '/dev/a', containerPath: '/dev/b', permissions: 'rw' }];
    const { HostConfig: host } = containerBody({ mounts, devices });
    assert.deepEqual(host['Mounts'], [
      { Type: 'bind', Source: '/a', Target: '/b', ReadOnly: true, BindOptions: { Propagation: 'rslave' } },
    ]);
    assert.deepEqual(host['Devices'], [{ PathOnHost: '/dev/a', PathInContainer: '/dev/b', CgroupPermissions: 'rw' }]);
  });

  test('an update says what changes, and nothing else', () => {
    assert.deepEqual(toResources({ cpuShares: 512 }), { CpuShares: 512 });
    assert.deepEqual(toResources({ cpusetCpus: '0-1', cpusetMems: '1' }), { CpusetCpus: '0-1', CpusetMems: '1' });
    assert.deepEqual(toResources({ memoryLimitBytes: 64 }), { Memory: 64, MemorySwap: 64 });
  });
});

describe('what Docker tells', () => {
  const NEVER = '0001-01-01T00:00:00Z';
  const state: StateMessage = {
    Status: 'created',
    OOMKilled: false,
    Pid: 0,
    ExitCode: 0,
    Error: '',
    StartedAt: NEVER,
    FinishedAt: NEVER,
  };
  const message = (changes: Partial<StateMessage>): ContainerMessage => ({
    Id: 'id',
    Image: 'sha256:1',
    ResolvConfPath: '',
    State: { ...state, ...changes },
    Config: { Labels: {}, Tty: false },
    HostConfig: { CpuShares: 0, CpuQuota: 0, CpuPeriod: 0, Memory: 0 },
  });
  const ran = { Status: 'exited', StartedAt: '2026-11-22T10:00:00Z', FinishedAt: '2026-11-22T10:00:01Z' };
  for (const { name, changes, wanted } of [
    { name: 'created', changes: {}, wanted: ['created', 0, '', 0] },
    { name: 'running', changes: { Status: 'running', StartedAt: ran.StartedAt }, wanted: ['running', 0, '', 0] },
    { name: 'ended well', changes: ran, wanted: ['exited', 0, 'Completed', 1795341601000] },
    { name: 'ended badly', changes: { ...ran, ExitCode: 3 }, wanted: ['exited', 3, 'Error', 1795341601000] },
    {
      name: 'out of memory',
      changes: { ...ran, ExitCode: 137, OOMKilled: true },
      wanted: ['exited', 137, 'OOMKilled', 1795341601000],
    },
    {
      name: 'could not be started',
      changes: { ExitCode: 127, Error: 'no such file' },
      wanted: ['exited', 127, 'ContainerCannotRun', 5],
    },
  ]) {
    test(`a container that is ${name}`, () => {
      const found = fromInspected(message(changes), record);
      assert.deepEqual([found.state, found.exitCode, found.reason, found.finishedAt], wanted);
    });
  }

  test('an image has its names in full, and a user', () => {
    const found = fromImage({
      Id: 'sha256:1',
      RepoTags: ['busybox:1.35', '<none>:<none>'],
      RepoDigests: null,
      Size: 7,
      Config: { User: '65534:65534' },
    });
    assert.deepEqual(found, {
      id: 'sha256:1',
      tags: ['docker.io/library/busybox:1.35'],
      digests: [],
      sizeBytes: 7,
      uid: 65534,
    });
  });

  test('the working set leaves inactive pages of files out, with either kind of groups', () => {
    const read = '2026-11-22T10:00:00Z';
    const cpu = { cpu_usage: { total_usage: 9 } };
    for (const stats of [{ total_inactive_file: 30, inactive_file: 1 }, { inactive_file: 30 }]) {
      const told = fromStats('id', { read, cpu_stats: cpu, memory_stats: { usage: 100, limit: 200, stats } });
      assert.deepEqual([told.cpuUsageNanos, told.memoryWorkingSetBytes, told.memoryAvailableBytes], [9, 70, 130]);
    }
  });

  test('the text of a resolv.conf', () => {
    assert.equal(
      resolvConf({ servers: ['10.96.0.10'], searches: ['a', 'b'], options: ['ndots:5'] }),
      'nameserver 10.96.0.10\nsearch a b\noptions ndots:5\n',
    );
    assert.equal(resolvConf({ servers: [], searches: [], options: [] }), '');
  });
});

describe('what Docker says that a container may use', () => {
  const none = { CpuShares: 0, CpuQuota: 0, CpuPeriod: 0, Memory: 0 };
  for (const [name, told, wanted] of [
    ['nothing is limited', none, {}],
    [
      'all is',
      { CpuShares: 2, CpuQuota: 5, CpuPeriod: 10, Memory: 4096 },
      { cpuShares: 2, cpuQuota: 5, cpuPeriod: 10, memoryLimitBytes: 4096 },
    ],
    ['a quota without its period is none', { ...none, CpuQuota: 5 }, {}],
    ['a period without a quota is none', { ...none, CpuPeriod: 10 }, {}],
    ['a quota taken away', { ...none, CpuQuota: -1, CpuPeriod: 10 }, {}],
    ['memory alone', { ...none, Memory: 1 }, { memoryLimitBytes: 1 }],
  ] as const)
    test(name, () => assert.deepEqual(fromResources(told), wanted));
});
