import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { ipRange, isInRange, silentLogger, sleep } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { EventLog, plainContainer, plainSandbox } from '../testing/harness.ts';
import { connectCriRuntime } from '../cri/connect.ts';
import type { Mount, Runtime } from '../ports.ts';
import { RuntimeNotFoundError, RuntimeUnavailableError } from '../errors.ts';
import { endProcesses, readProcess } from './processes.ts';
import { startContainerd, stopContainerd } from './supervisor.ts';
import { TEST_IMAGE, type Testbed, createTestbed, criHarness } from './testing/testbed.ts';

const run = promisify(execFile);

describe('private containerd', () => {
  let bed: Testbed;
  let runtime: Runtime;
  let count = 0;

  const startPod = async (script: string, mounts: readonly Mount[] = [], on: Runtime = runtime) => {
    const uid = `uid-${++count}`;
    const harness = criHarness(bed);
    const sandbox = plainSandbox(harness, uid);
    const sandboxId = await on.runSandbox(sandbox);
    const config = { ...plainContainer(TEST_IMAGE, ['sh', '-c', script]), mounts };
    const containerId = await on.createContainer(sandboxId, config, sandbox);
    await on.startContainer(containerId);
    return { uid, sandboxId, containerId };
  };
  const output = async (id: string, ...command: string[]): Promise<string> =>
    new TextDecoder().decode((await runtime.exec(id, command, 10_000)).stdout);
  const connect = (ownershipLabel?: { key: string; value: string }): Promise<Runtime> =>
    connectCriRuntime({
      endpoint: bed.endpoint,
      clock: realClock,
      log: silentLogger,
      ...(ownershipLabel === undefined ? {} : { ownershipLabel }),
    });

  before(async () => {
    bed = await createTestbed();
    runtime = await connect();
  });
  after(async () => {
    await runtime.close();
    assert.deepEqual(await bed.close(), []);
  });

  test('pods see each other, the node and pure cgroups', async () => {
    const a = await startPod('mkdir /www; echo page > /www/index.html; exec httpd -f -p 80 -h /www');
    const b = await startPod('sleep 1000');
    const ip = (await runtime.sandboxStatus(a.sandboxId)).ips[0] ?? '';
    assert.ok(isInRange(ipRange(bed.podRange) ?? assert.fail(), ip), ip);
    assert.equal(await output(b.containerId, 'wget', '-qO-', `http://${ip}/`), 'page\n');
    assert.match(await output(b.containerId, 'ping', '-c', '1', bed.podGateway), /1 packets received/);
    assert.doesNotMatch(await output(b.containerId, 'mount'), /unified/);
    // What containerd and CNI share with others on a machine is in our own folders.
    assert.equal((await readdir(join(bed.folder, 'ctd/netns'))).length, 2);
    assert.ok((await readdir(join(bed.folder, 'ctd/run'))).includes('s'));
    const cgroup = await output(b.containerId, 'cat', '/proc/self/cgroup');
    assert.match(cgroup, new RegExp(`/binnacle-${bed.name}/besteffort/pod${b.uid}/${b.containerId}`));
  });

  test('volumes that the node mounts after containerd began are seen in pods', async () => {
    const volume = join(bed.folder, 'pods/uid-x/volumes/empty');
    await mkdir(volume, { recursive: true });
    await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', volume]);
    await writeFile(join(volume, 'greeting'), 'from the node');
    const mount: Mount = { hostPath: volume, containerPath: '/data', readOnly: false, propagation: 'private' };
    const pod = await startPod('echo from the pod > /data/answer; sleep 1000', [mount]);
    assert.equal(await output(pod.containerId, 'cat', '/data/greeting'), 'from the node');
    assert.match(await output(pod.containerId, 'mount'), /tmpfs on \/data type tmpfs/);
    assert.equal(await readFile(join(volume, 'answer'), 'utf8'), 'from the pod\n');
    await runtime.stopSandbox(pod.sandboxId);
    await runtime.removeSandbox(pod.sandboxId);
    await run('umount', [volume]);
  });

  test('host ports lead to the pod, and their rules go with it', async () => {
    const uid = `uid-${++count}`;
    const ports = [{ protocol: 'TCP', containerPort: 80, hostPort: 18_391 }] as const;
    const sandbox = plainSandbox(criHarness(bed), uid, { ports });
    const sandboxId = await runtime.runSandbox(sandbox);
    const config = plainContainer(TEST_IMAGE, ['sh', '-c', 'echo hi > /index.html; exec httpd -f -p 80 -h /']);
    const id = await runtime.createContainer(sandboxId, config, sandbox);
    await runtime.startContainer(id);
    // A container that runs need not listen yet.
    await runtime.exec(id, ['sh', '-c', 'until wget -qO /dev/null http://127.0.0.1/; do sleep 0.05; done'], 20_000);
    assert.equal((await run('busybox', ['wget', '-qO-', 'http://127.0.0.1:18391/'])).stdout, 'hi\n');
    await runtime.removeSandbox(sandboxId);
    await assert.rejects(run('busybox', ['wget', '-qO-', 'http://127.0.0.1:18391/']));
  });

  test('limits, users and read-only roots are kept', async () => {
    const uid = `uid-${++count}`;
    const sandbox = plainSandbox(criHarness(bed), uid);
    const sandboxId = await runtime.runSandbox(sandbox);
    const plain = plainContainer(TEST_IMAGE, ['sleep', '1000']);
    const id = await runtime.createContainer(
      sandboxId,
      {
        ...plain,
        env: [{ name: 'GREETING', value: 'a b' }],
        workingDir: '/tmp',
        resources: {
          cpuShares: 204,
          cpuQuota: 20_000,
          cpuPeriod: 100_000,
          memoryLimitBytes: 64 << 20,
          oomScoreAdj: 1000,
        },
        security: {
          ...plain.security,
          runAsUser: 1000,
          runAsGroup: 2000,
          readOnlyRootFilesystem: true,
          noNewPrivileges: true,
          dropCapabilities: ['ALL'],
          maskedPaths: ['/proc/kcore'],
          readOnlyPaths: ['/proc/sys'],
        },
      },
      sandbox,
    );
    await runtime.startContainer(id);
    assert.equal(await output(id, 'sh', '-c', 'echo $(id -u) $(id -g) $GREETING $PWD'), '1000 2000 a b /tmp\n');
    assert.equal((await runtime.exec(id, ['touch', '/new'], 5000)).exitCode, 1);
    assert.match(await output(id, 'sh', '-c', 'cat /proc/1/status'), /CapEff:\s0+\n[\s\S]*NoNewPrivs:\s1/);
    const limit = await output(
      id,
      'sh',
      '-c',
      'cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max',
    );
    assert.match(limit, /67108864/);
    await runtime.updateResources(id, { cpuShares: 204, memoryLimitBytes: 32 << 20 });
    const lower = await output(
      id,
      'sh',
      '-c',
      'cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max',
    );
    assert.match(lower, /33554432/);
  });

  test('a container out of memory says so', async () => {
    const events = new EventLog();
    const subscription = runtime.events({ event: (e) => events.event(e), lost: (e) => events.lostEvents(e) });
    const uid = `uid-${++count}`;
    const sandbox = plainSandbox(criHarness(bed), uid);
    const sandboxId = await runtime.runSandbox(sandbox);
    const eater = ['sh', '-c', 'sleep 0.2; x=a; while true; do x=$x$x; done'];
    const config = { ...plainContainer(TEST_IMAGE, eater), resources: { memoryLimitBytes: 16 << 20 } };
    const id = await runtime.createContainer(sandboxId, config, sandbox);
    await runtime.startContainer(id);
    await events.next('stopped', id);
    const status = await runtime.containerStatus(id);
    assert.deepEqual([status.reason, status.exitCode], ['OOMKilled', 137]);
    subscription.stop();
  });

  test('starting again joins; after a crash the pods go on and are reachable', async () => {
    const pod = await startPod('sleep 1000');
    const joined = await startContainerd(bed.options);
    assert.equal(joined.joined, true);
    const events = new EventLog();
    const subscription = runtime.events({ event: (e) => events.event(e), lost: (e) => events.lostEvents(e) });
    const process = await readProcess(joined.pid);
    assert.ok(process !== undefined);
    await endProcesses(realClock, [process], 0);
    await assert.rejects(runtime.version(), RuntimeUnavailableError);
    const again = await startContainerd(bed.options);
    assert.equal(again.joined, false);
    assert.notEqual(again.pid, joined.pid);
    const other = await connect();
    assert.equal((await other.containerStatus(pod.containerId)).state, 'running');
    assert.equal((await other.exec(pod.containerId, ['true'], 5000)).exitCode, 0);
    const sandbox = plainSandbox(criHarness(bed), pod.uid);
    const second = plainContainer(TEST_IMAGE, ['sh', '-c', 'ip -o addr; exit 5'], 'second');
    const id = await other.createContainer(pod.sandboxId, second, sandbox);
    await other.close();
    for (let i = 0; i < 1000 && events.lost.length < 2; i++) await sleep(realClock, 10);
    assert.equal(events.lost.length, 2);
    await runtime.startContainer(id);
    assert.equal((await events.next('stopped', id)).exitCode, 5);
    const ip = (await runtime.sandboxStatus(pod.sandboxId)).ips[0] ?? 'none';
    const log = await readFile((await runtime.containerStatus(id)).logPath, 'utf8');
    assert.ok(log.includes(ip), 'the second container shares the network of the first');
    subscription.stop();
    await runtime.stopSandbox(pod.sandboxId);
    await runtime.removeSandbox(pod.sandboxId);
  });

  test('another configuration starts it again, its pods go on', async () => {
    const pod = await startPod('sleep 1000');
    const network = { ...bed.options.network, subnets: [bed.podRange.replace('/24', '/25')] };
    const changed = await startContainerd({ ...bed.options, network });
    assert.equal(changed.joined, false);
    const back = await startContainerd(bed.options);
    assert.equal(back.joined, false);
    assert.notEqual(back.pid, changed.pid);
    const other = await connect();
    assert.equal((await other.containerStatus(pod.containerId)).state, 'running');
    await other.close();
  });

  test('with an ownership label strangers are neither listed nor touched', async () => {
    const stranger = await startPod('sleep 1000');
    const ours = await connect({ key: 'binnacle.dev/owner', value: 'ring' });
    const events = new EventLog();
    const subscription = ours.events({ event: (e) => events.event(e), lost: (e) => events.lostEvents(e) });
    const own = await startPod('sleep 1000', [], ours);
    assert.deepEqual(
      (await ours.listSandboxes()).map((s) => s.id),
      [own.sandboxId],
    );
    assert.deepEqual(
      (await ours.listContainers()).map((c) => c.id),
      [own.containerId],
    );
    assert.deepEqual(
      (await ours.stats()).map((s) => s.id),
      [own.containerId],
    );
    await ours.stopContainer(stranger.containerId, 0);
    await ours.removeSandbox(stranger.sandboxId);
    await assert.rejects(ours.exec(stranger.containerId, ['true'], 1000), RuntimeNotFoundError);
    await assert.rejects(ours.containerStatus(stranger.containerId), RuntimeNotFoundError);
    assert.equal((await runtime.containerStatus(stranger.containerId)).state, 'running');
    await runtime.stopContainer(stranger.containerId, 0);
    await ours.stopContainer(own.containerId, 0);
    await events.next('stopped', own.containerId);
    assert.ok(events.seen.every((event) => event.podUid === own.uid));
    subscription.stop();
    await ours.close();
  });

  test('stopping twice is stopping; pods outlive it until cleaned', async () => {
    const pod = await startPod('sleep 1000');
    await stopContainerd(bed.options);
    await stopContainerd(bed.options);
    const again = await startContainerd(bed.options);
    assert.equal(again.joined, false);
    const other = await connect();
    assert.equal((await other.containerStatus(pod.containerId)).state, 'running');
    await other.close();
    assert.ok((await bed.leftovers()).length > 0);
  });
});
