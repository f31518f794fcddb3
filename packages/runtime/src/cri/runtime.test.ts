import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { VirtualClock } from '@binnacle/base/testing';
import type { Channel, Method, StreamSink } from '@binnacle/grpc';
import { plainContainer, plainSandbox } from '../testing/harness.ts';
import { CriRuntime } from './runtime.ts';

type Answer = (request: never) => object;

interface Call {
  readonly method: Method;
  readonly request: { readonly [field: string]: unknown };
  readonly timeoutMs: number;
}

const LABEL = { key: 'owner', value: 'us' };
const NOT_FOUND = 5;
const UNAVAILABLE = 14;
const DEADLINE_EXCEEDED = 4;

function failing(status: number, details = 'so it is'): Answer {
  return () => {
    throw Object.assign(new RangeError(details), { code: status, details });
  };
}

/** A runtime whose socket answers as the table says; what is not in it does not exist. */
class Served {
  readonly clock = new VirtualClock();
  readonly calls: Call[] = [];
  readonly answers: Record<string, Answer> = {
    ListPodSandbox: () => ({ items: [] }),
    ListContainers: () => ({ containers: [] }),
  };
  readonly runtime: CriRuntime;
  sink: StreamSink | undefined;
  /** Further connections that are open. */
  apart = 0;

  constructor(ownershipLabel?: typeof LABEL) {
    const channel: Channel = {
      unary: async (method, request, timeoutMs) => {
        this.calls.push({ method, request: request as Call['request'], timeoutMs });
        const answer = this.answers[method.method] ?? failing(NOT_FOUND, `no answer to ${method.method}`);
        return answer(request as never);
      },
      stream: (_method, _request, sink) => {
        this.sink = sink;
        return { cancel: () => undefined };
      },
      decode: () => assert.fail('nothing is packed'),
      close: () => undefined,
    };
    const { clock } = this;
    const open = async (): Promise<Channel> => {
      this.apart++;
      return { ...channel, close: () => void this.apart-- };
    };
    this.runtime = new CriRuntime({ channel, open, endpoint: 'unix:///x', clock, log: silentLogger, ownershipLabel });
  }

  get methods(): string[] {
    return this.calls.map(({ method }) => method.method);
  }

  last(method: string): Call {
    return this.calls.findLast((call) => call.method.method === method) ?? assert.fail(`${method} was not called`);
  }
}

function containerMessage(id: string, labels: object = {}): object {
  const metadata = { name: 'main', attempt: 0 };
  const shared = { id, metadata, image: { image: 'i' }, image_ref: 'i', labels, annotations: {} };
  return { ...shared, state: 'CONTAINER_RUNNING', created_at: 1, pod_sandbox_id: 's1' };
}

function statusMessage(state: string, labels: object = {}): object {
  const ended = { started_at: 1, finished_at: 2, exit_code: 0, reason: '', message: '', log_path: '', resources: null };
  return { status: { ...containerMessage('c1', labels), ...ended, state }, info: {} };
}

describe('images over CRI', () => {
  test('the image service has them; a pull takes as long as it takes, and says for whom and as whom', async () => {
    const served = new Served();
    served.answers['PullImage'] = () => ({ image_ref: 'sha256:1' });
    const auth = { username: 'u', password: 'p' };
    assert.equal(await served.runtime.pullImage('r/i:1', { annotations: { a: '1' } }, auth), 'sha256:1');
    const { method, request, timeoutMs } = served.last('PullImage');
    assert.deepEqual([method.service, timeoutMs], ['runtime.v1.ImageService', 0]);
    assert.deepEqual(request['image'], { image: 'r/i:1', annotations: { a: '1' } });
    assert.partialDeepStrictEqual(request['auth'], auth);
  });

  test('a pull has a connection of its own: what a registry does to it is nobody else’s', async () => {
    const served = new Served();
    const seen: number[] = [];
    served.answers['PullImage'] = () => {
      seen.push(served.apart);
      return { image_ref: 'sha256:1' };
    };
    await Promise.all([served.runtime.pullImage('a'), served.runtime.pullImage('b')]);
    served.answers['PullImage'] = failing(13);
    await assert.rejects(served.runtime.pullImage('c'));
    assert.deepEqual([seen, served.apart], [[2, 2], 0]);
  });

  const failures: readonly [name: string, status: number, expected: object][] = [
    ['a registry that refuses', 2, { code: 'image-pull', reason: 'ErrImagePull', message: 'so it is' }],
    ['an image that is not there', NOT_FOUND, { code: 'image-pull', reason: 'ErrImagePull', message: 'so it is' }],
    ['a runtime that is away', UNAVAILABLE, { code: 'runtime-unavailable' }],
  ];
  for (const [name, status, expected] of failures) {
    test(`a pull from ${name}`, async () => {
      const served = new Served();
      served.answers['PullImage'] = failing(status);
      await assert.rejects(served.runtime.pullImage('i'), expected);
    });
  }

  test('one that the node does not have is no error; removing it is', async () => {
    const served = new Served();
    served.answers['ImageStatus'] = () => ({ image: null });
    assert.equal(await served.runtime.imageStatus('i'), undefined);
    await assert.rejects(served.runtime.removeImage('i'), { code: 'runtime-not-found' });
  });
});

describe('checkpoints over CRI', () => {
  const rows: readonly [asked: number, given: number][] = [
    [0, 120],
    [119, 120],
    [300, 300],
    [1e18, 86_400],
  ];
  for (const [seconds, timeout] of rows)
    test(`one that may take ${seconds} s is waited for ${timeout} s`, async () => {
      const served = new Served();
      served.answers['CheckpointContainer'] = () => ({});
      await served.runtime.checkpoint('c1', { location: '/k/c.tar', seconds });
      const { method, request, timeoutMs } = served.last('CheckpointContainer');
      assert.deepEqual([method.service, timeoutMs], ['runtime.v1.RuntimeService', timeout * 1000]);
      assert.deepEqual(request, { container_id: 'c1', location: '/k/c.tar', timeout });
    });

  test('an engine that knows of none says so', async () => {
    const served = new Served();
    served.answers['CheckpointContainer'] = failing(12, 'unknown method CheckpointContainer');
    await assert.rejects(
      served.runtime.checkpoint('c1', { location: '/c', seconds: 0 }),
      /^.*unknown method Checkpoint/,
    );
  });
});

describe('file systems over CRI', () => {
  const usage = (mountpoint: string, used: number): object => ({
    fs_id: { mountpoint },
    used_bytes: { value: used },
    inodes_used: null,
  });
  const rows: readonly [name: string, images: object[], layers: object[], told: object | undefined][] = [
    ['together', [usage('/a', 1)], [], { images: { folder: '/a', usedBytes: 1 } }],
    [
      'layers elsewhere; of several the first',
      [usage('/a', 1), usage('/c', 3)],
      [usage('/b', 2)],
      { images: { folder: '/a', usedBytes: 1 }, layers: { folder: '/b', usedBytes: 2 } },
    ],
    ['none is told', [], [usage('/b', 2)], undefined],
    ['one without a name', [{ ...usage('', 1), fs_id: null }, usage('', 1)], [], undefined],
  ];
  for (const [name, image_filesystems, container_filesystems, told] of rows) {
    test(name, async () => {
      const served = new Served();
      served.answers['ImageFsInfo'] = () => ({ image_filesystems, container_filesystems });
      assert.deepEqual(await served.runtime.filesystems(), told);
      assert.equal(served.last('ImageFsInfo').method.service, 'runtime.v1.ImageService');
    });
  }
});

describe('a runtime that is not ours alone', () => {
  const theirs = containerMessage('theirs', { owner: 'them' });
  const acts: readonly [name: string, act: (runtime: CriRuntime) => Promise<unknown>][] = [
    ['start', (runtime) => runtime.startContainer('theirs')],
    ['exec', (runtime) => runtime.exec('theirs', ['id'], 0)],
    ['runCommand', (runtime) => runtime.runCommand('theirs', ['id'], {} as never)],
    ['attach', (runtime) => runtime.attach('theirs', {} as never)],
    ['portForward', (runtime) => runtime.portForward('theirs', 80)],
    ['updateResources', (runtime) => runtime.updateResources('theirs', {} as never)],
    ['reopenLog', (runtime) => runtime.reopenLog('theirs')],
    ['checkpoint', (runtime) => runtime.checkpoint('theirs', { location: '/c', seconds: 0 })],
    ['stats', (runtime) => runtime.stats(['theirs'])],
  ];
  for (const [name, act] of acts) {
    test(`${name} of a stranger's container: looked for under our label, then refused`, async () => {
      const served = new Served(LABEL);
      await assert.rejects(act(served.runtime), { code: 'runtime-not-found' });
      assert.deepEqual(served.methods.toSorted(), ['ListContainers', 'ListPodSandbox']);
      assert.deepEqual(served.last('ListContainers').request['filter'], {
        label_selector: { owner: 'us' },
        pod_sandbox_id: '',
      });
    });
  }

  test('stopping and removing what is a stranger’s does nothing, as if it were gone', async () => {
    const served = new Served(LABEL);
    await served.runtime.stopContainer('theirs', 1);
    await served.runtime.removeContainer('theirs');
    await served.runtime.stopSandbox('theirs');
    await served.runtime.removeSandbox('theirs');
    assert.deepEqual(new Set(served.methods), new Set(['ListContainers', 'ListPodSandbox']));
  });

  test('its status is not told', async () => {
    const served = new Served(LABEL);
    served.answers['ContainerStatus'] = () => ({ status: theirs, info: {} });
    served.answers['PodSandboxStatus'] = () => ({ status: { labels: { owner: 'them' } } });
    for (const ask of [
      served.runtime.containerStatus('theirs'),
      served.runtime.containerResources('theirs'),
      served.runtime.sandboxStatus('theirs'),
    ])
      await assert.rejects(ask, { code: 'runtime-not-found' });
  });

  test('all that is made carries the label, and is known from then on', async () => {
    const served = new Served(LABEL);
    const sandbox = plainSandbox({ logDirectory: () => '/logs', cgroupParent: () => '/pods' }, 'p1');
    served.answers['RunPodSandbox'] = () => ({ pod_sandbox_id: 's1' });
    served.answers['CreateContainer'] = () => ({ container_id: 'c1' });
    served.answers['StartContainer'] = () => ({});
    await served.runtime.runSandbox(sandbox);
    await served.runtime.createContainer('s1', plainContainer('i', ['run']), sandbox);
    await served.runtime.startContainer('c1');
    assert.deepEqual(served.methods, ['RunPodSandbox', 'CreateContainer', 'StartContainer'], 'nothing is looked up');
    for (const method of ['RunPodSandbox', 'CreateContainer']) {
      const { config } = served.last(method).request as { config: { labels: object } };
      assert.partialDeepStrictEqual(config.labels, { owner: 'us' }, method);
    }
  });

  test('what is gone from the lists is looked for anew', async () => {
    const served = new Served(LABEL);
    served.answers['StartContainer'] = () => ({});
    served.answers['ListContainers'] = () => ({ containers: [containerMessage('c1', LABEL)] });
    await served.runtime.startContainer('c1');
    served.answers['ListContainers'] = () => ({ containers: [] });
    await assert.rejects(served.runtime.startContainer('other'), { code: 'runtime-not-found' });
    const before = served.calls.length;
    await assert.rejects(served.runtime.startContainer('c1'), { code: 'runtime-not-found' });
    assert.ok(served.calls.length > before, 'it was forgotten by the listing before');
  });

  test('a runtime that is ours alone is asked nothing first', async () => {
    const served = new Served();
    served.answers['StartContainer'] = () => ({});
    await served.runtime.startContainer('c1');
    assert.deepEqual(served.methods, ['StartContainer']);
  });
});

describe('commands and their time', () => {
  const times: readonly [name: string, timeoutMs: number, seconds: number, patienceMs: number][] = [
    ['none', 0, 0, 0],
    ['a whole one', 3_000, 3, 123_000],
    ['a part of a second is rounded up', 1_200, 2, 122_000],
  ];
  for (const [name, timeoutMs, seconds, patienceMs] of times) {
    test(name, async () => {
      const served = new Served();
      served.answers['ExecSync'] = () => ({ exit_code: 3, stdout: Buffer.from('out'), stderr: Buffer.from('err') });
      const { exitCode, stdout, stderr } = await served.runtime.exec('c1', ['a', 'b'], timeoutMs);
      assert.deepEqual([exitCode, String(stdout), String(stderr)], [3, 'out', 'err']);
      const call = served.last('ExecSync');
      assert.deepEqual(call.request, { container_id: 'c1', cmd: ['a', 'b'], timeout: seconds });
      assert.equal(call.timeoutMs, patienceMs);
    });
  }

  test('output beyond 16 MiB is cut', async () => {
    const served = new Served();
    const flood = Buffer.alloc((16 << 20) + 1);
    served.answers['ExecSync'] = () => ({ exit_code: 0, stdout: flood, stderr: flood });
    const { stdout, stderr } = await served.runtime.exec('c1', ['yes'], 0);
    assert.deepEqual([stdout.length, stderr.length], [16 << 20, 16 << 20]);
  });

  test('a command out of time is told from a container that is gone', async () => {
    const served = new Served();
    served.answers['ExecSync'] = failing(DEADLINE_EXCEEDED);
    await assert.rejects(served.runtime.exec('c1', ['sleep'], 1_000), { code: 'exec-timeout' });
    served.answers['ExecSync'] = failing(NOT_FOUND);
    await assert.rejects(served.runtime.exec('c1', ['sleep'], 1_000), { code: 'runtime-not-found' });
  });
});

describe('the end of a container', () => {
  test('seconds are rounded up, and our patience is longer than its grace', async () => {
    const served = new Served();
    served.answers['StopContainer'] = () => ({});
    await served.runtime.stopContainer('c1', 30.2);
    const { request, timeoutMs } = served.last('StopContainer');
    assert.deepEqual([request, timeoutMs], [{ container_id: 'c1', timeout: 31 }, 151_000]);
    await served.runtime.stopContainer('c1', -4);
    assert.equal(served.last('StopContainer').request['timeout'], 0);
    // An engine counts nanoseconds: more than 292 years are negative to it.
    await served.runtime.stopContainer('c1', 2 ** 63);
    assert.equal(served.last('StopContainer').request['timeout'], 2_147_483_647);
  });

  test('one that is gone has ended; one that cannot be stopped has not', async () => {
    const served = new Served();
    await served.runtime.stopContainer('c1', 1);
    served.answers['StopContainer'] = failing(UNAVAILABLE);
    await assert.rejects(served.runtime.stopContainer('c1', 1), { code: 'runtime-unavailable' });
  });

  /** An old containerd, which keeps no stop signals, with a container that still runs. */
  function old(): Served {
    const served = new Served();
    served.answers['Version'] = () => ({ runtime_name: 'containerd', runtime_version: '1.6.20' });
    served.answers['Kill'] = () => ({});
    served.answers['StopContainer'] = () => ({});
    served.answers['ListContainers'] = () => ({ containers: [containerMessage('c1')] });
    served.answers['ContainerStatus'] = () => statusMessage('CONTAINER_RUNNING');
    return served;
  }

  test('a signal that the runtime does not keep is sent ahead; at the end that it brings nothing is waited for', async () => {
    const served = old();
    const stopped = served.runtime.stopContainer('c1', 30, 'SIGUSR1');
    await served.clock.advance(20_000);
    assert.deepEqual(served.last('Kill').request, { container_id: 'c1', signal: 10 });
    assert.ok(!served.methods.includes('StopContainer'), 'it has its grace');
    served.sink?.message({
      container_id: 'c1',
      container_event_type: 'CONTAINER_STOPPED_EVENT',
      pod_sandbox_status: null,
      containers_statuses: [],
    });
    await stopped;
    assert.equal(served.last('StopContainer').request['timeout'], 0);
    assert.equal(served.clock.pending, 0, 'nothing waits on');
  });

  test('it is killed when its grace is over', async () => {
    const served = old();
    const stopped = served.runtime.stopContainer('c1', 30, 'SIGUSR1');
    await served.clock.advance(29_999);
    assert.ok(!served.methods.includes('StopContainer'));
    await served.clock.advance(1);
    await stopped;
    assert.equal(served.last('StopContainer').request['timeout'], 0);
  });

  test('one that had ended before anybody listened is not waited for', async () => {
    const served = old();
    served.answers['ContainerStatus'] = () => statusMessage('CONTAINER_EXITED');
    await served.runtime.stopContainer('c1', 30, 'SIGUSR1');
    assert.equal(served.last('StopContainer').request['timeout'], 0);
    assert.equal(served.clock.pending, 0);
  });

  const whole: readonly [name: string, change: (served: Served) => void, signal: string | undefined, grace: number][] =
    [
      ['no signal of its own', () => undefined, undefined, 30],
      ['what is no signal', () => undefined, 'constructor', 30],
      ['a signal that could not be sent', (served) => (served.answers['Kill'] = failing(NOT_FOUND)), 'SIGUSR1', 30],
      [
        'a runtime that keeps signals',
        (served) => (served.answers['Version'] = () => ({ runtime_name: 'containerd', runtime_version: '2.1.0' })),
        'SIGUSR1',
        30,
      ],
      ['no grace at all', () => undefined, 'SIGUSR1', 0],
    ];
  for (const [name, change, signal, grace] of whole) {
    test(`the runtime gives the grace: ${name}`, async () => {
      const served = old();
      change(served);
      await served.runtime.stopContainer('c1', grace, signal);
      assert.equal(served.last('StopContainer').request['timeout'], grace);
      assert.equal(served.clock.pending, 0);
    });
  }
});

test('conditions that a runtime does not report are not ready', async () => {
  const served = new Served();
  const ready = { type: 'RuntimeReady', status: true, reason: 'r', message: 'm' };
  served.answers['Status'] = () => ({ status: { conditions: [ready] }, runtime_handlers: [] });
  assert.deepEqual(await served.runtime.status(), {
    runtime: { ready: true, reason: 'r', message: 'm' },
    network: { ready: false, reason: 'Unknown', message: 'the runtime does not report NetworkReady' },
    handlers: [],
  });
});

test('what a runtime says of its handlers; what it does not say it cannot', async () => {
  const served = new Served();
  served.answers['Status'] = () => ({
    runtime_handlers: [
      { name: '', features: { user_namespaces: true, recursive_read_only_mounts: true } },
      { name: 'old', features: {} },
      { name: 'kata', features: null },
    ],
  });
  const none = { recursiveReadOnlyMounts: false, userNamespaces: false };
  assert.deepEqual((await served.runtime.status()).handlers, [
    { name: '', recursiveReadOnlyMounts: true, userNamespaces: true },
    { name: 'old', ...none },
    { name: 'kata', ...none },
  ]);
});

for (const [features, wanted] of [
  [null, undefined],
  [{ supplemental_groups_policy: false }, false],
  [{ supplemental_groups_policy: true }, true],
] as const) {
  test(`whether a runtime knows groups policies, from ${JSON.stringify(features)}`, async () => {
    const served = new Served();
    served.answers['Status'] = () => ({ runtime_handlers: [], features });
    assert.equal((await served.runtime.status()).supportsGroupsPolicy, wanted);
  });
}
