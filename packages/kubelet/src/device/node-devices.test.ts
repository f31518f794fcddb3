import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock, silentLogger } from '@binnacle/base';
import type { Container, Pod } from '@binnacle/api/core/v1';
import { PluginRefusal } from '../plugin/plugin-error.ts';
import type { PluginWire } from '../ports.ts';
import { lonelyWire } from '../testing/plugins.ts';
import { pass, testPod } from '../testing/node.ts';
import { given } from '../testing/giving.ts';
import { heldFiles } from '../testing/held-files.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import type { MemoryFiles } from '../volume/memory-files.ts';
import { NodeDevices } from './node-devices.ts';
import { resourcesOf } from './pod-resources.ts';

const NAME = 'test.dev/thing';

interface Bench {
  readonly clock: VirtualClock;
  readonly files: MemoryFiles;
  readonly devices: NodeDevices;
  readonly calls: string[];
  /** What the plugin's stream says. */
  readonly say: (...ids: string[]) => void;
  readonly end: () => void;
  preferred: readonly string[];
  refusal: Error | undefined;
}

async function bench(files = createMemoryFiles()): Promise<Bench> {
  const clock = new VirtualClock();
  const calls: string[] = [];
  let sink: Parameters<PluginWire['stream']>[2] | undefined;
  const wire: PluginWire = {
    ...lonelyWire,
    async call(_, { method }, request) {
      calls.push(`${method} ${JSON.stringify(request)}`);
      if (made.refusal !== undefined) throw made.refusal;
      if (method === 'GetPreferredAllocation') return { container_responses: [{ deviceIDs: made.preferred }] };
      const container = {
        envs: { THING: 'yes' },
        annotations: { 'test.dev/a': 'b' },
        mounts: [{ host_path: '/h', container_path: '/c', read_only: true }],
        devices: [{ host_path: '/dev/h', container_path: '/dev/c', permissions: 'rw' }],
        cdi_devices: [],
      };
      return { container_responses: [container] };
    },
    stream: (_, __, follower) => {
      sink = follower;
      return { cancel: () => undefined };
    },
  };
  const devices = new NodeDevices({
    directory: '/k/device-plugins',
    files,
    wire,
    nodeIds: () => [0, 1],
    clock,
    log: silentLogger,
    changed: () => calls.push('changed'),
  });
  await devices.recall();
  const made: Bench = {
    clock,
    files,
    devices,
    calls,
    preferred: [],
    refusal: undefined,
    say: (...ids) =>
      sink?.message({
        devices: ids.map((text) => {
          const [ID = '', health = 'Healthy', node = '0'] = text.split(':');
          return { ID, health, topology: { nodes: node === 'none' ? [] : [{ ID: Number(node) }] } };
        }),
      }),
    end: () => sink?.end(new RangeError('gone')),
  };
  return made;
}

const container = (name: string, count: number): Container => ({
  name,
  image: 'i',
  resources: { limits: { [NAME]: String(count), cpu: '1' } },
});
const pod = (name: string, ...containers: Container[]): Pod => testPod({ name, spec: { containers } });
const idsOf = (of: Bench, name: string, inside = 'main'): readonly string[] | undefined =>
  of.devices.held(`uid-${name}`, inside).get(NAME)?.ids;

async function refusal(of: Bench, name: string, count: number): Promise<string | undefined> {
  const refused = await given(of.devices, pod(name, container('main', count)));
  assert.equal(refused?.reason, 'UnexpectedAdmissionError');
  return /^Allocate failed due to (.*), which is unexpected$/.exec(refused.message)?.[1];
}

async function withThree(): Promise<Bench> {
  const of = await bench();
  of.devices.add(NAME, '/s', { preStart: true, prefers: false });
  of.say('a', 'b', 'c:Unhealthy');
  of.calls.length = 0;
  return of;
}

test('devices are counted, and those that are well', async () => {
  const of = await withThree();
  assert.deepEqual(of.devices.counts(), [{ resource: NAME, capacity: 3, allocatable: 2 }]);
  of.say('a');
  assert.deepEqual([of.devices.counts()[0]?.capacity, of.calls], [1, ['changed']]);
});

test('a pod gets what it asks for, once, with what comes with it; the next one what is left', async () => {
  const of = await withThree();
  assert.equal(await given(of.devices, pod('one', container('main', 1))), undefined);
  assert.equal(await given(of.devices, pod('one', container('main', 1))), undefined);
  assert.deepEqual(of.calls, ['Allocate {"container_requests":[{"devices_ids":["a"]}]}']);
  const [grant] = await of.devices.grantsOf(pod('one', container('main', 1)), 'main');
  assert.deepEqual(grant, {
    ids: ['a'],
    envs: { THING: 'yes' },
    annotations: { 'test.dev/a': 'b' },
    mounts: [{ hostPath: '/h', containerPath: '/c', readOnly: true }],
    devices: [{ hostPath: '/dev/h', containerPath: '/dev/c', permissions: 'rw' }],
  });
  assert.equal(of.calls.at(-1), 'PreStartContainer {"devices_ids":["a"]}');
  const wanted = `requested number of devices unavailable for ${NAME}. Requested: 2, Available: 1`;
  assert.equal(await refusal(of, 'two', 2), wanted);
  of.devices.release('uid-one');
  assert.equal(await given(of.devices, pod('two', container('main', 2))), undefined);
  assert.deepEqual(idsOf(of, 'two'), ['a', 'b']);
});

test('what devices by a claim stand for is not taken from a plugin', async () => {
  const of = await withThree();
  const requestMappings = [{ containerName: 'main', resourceName: NAME, requestName: 'container-0-request-0' }];
  const plain = pod('one', container('main', 1), container('other', 1));
  const status = { ...plain.status, extendedResourceClaimStatus: { resourceClaimName: 'c', requestMappings } };
  assert.equal(await given(of.devices, { ...plain, status } as Pod), undefined);
  assert.deepEqual(
    ['main', 'other'].map((name) => [...(of.devices.held('uid-one', name).get(NAME)?.ids ?? [])]),
    [[], ['a']],
  );
});

test('of two that ask at once, neither gets what the other has', async () => {
  const of = await withThree();
  const both = ['one', 'two'].map((name) => given(of.devices, pod(name, container('main', 1))));
  assert.deepEqual(await Promise.all(both), [undefined, undefined]);
  assert.deepEqual([idsOf(of, 'one'), idsOf(of, 'two')], [['a'], ['b']]);
});

test('what init containers had serves the others; what a sidecar has it keeps', async () => {
  const of = await withThree();
  const initContainers = [container('first', 1), { ...container('beside', 1), restartPolicy: 'Always' }];
  const asked = testPod({ name: 'p', spec: { initContainers, containers: [container('main', 1)] } });
  assert.equal(await given(of.devices, asked), undefined);
  assert.deepEqual([idsOf(of, 'p', 'first'), idsOf(of, 'p', 'beside')], [['a'], ['a']]);
  assert.deepEqual(idsOf(of, 'p'), ['b']);
});

test('a plugin that refuses: the pod has nothing, and the devices are free', async () => {
  const of = await withThree();
  of.refusal = new PluginRefusal('on fire');
  assert.equal(await refusal(of, 'one', 1), 'on fire');
  of.refusal = undefined;
  assert.equal(await given(of.devices, pod('two', container('main', 2))), undefined);
});

test('what the plugin prefers', async () => {
  const of = await bench();
  of.devices.add(NAME, '/s', { preStart: false, prefers: true });
  of.say('a', 'b', 'c');
  of.preferred = ['c'];
  await given(of.devices, pod('one', container('main', 1)));
  assert.deepEqual(idsOf(of, 'one'), ['c']);
});

test('a plugin that goes leaves its devices unwell, and none when it stays away', async () => {
  const of = await withThree();
  of.end();
  assert.deepEqual(of.devices.counts(), [{ resource: NAME, capacity: 3, allocatable: 0 }]);
  assert.equal(await refusal(of, 'one', 1), `cannot allocate unregistered device ${NAME}`);
  await pass(of.clock, 301_000);
  assert.deepEqual(of.devices.counts(), [{ resource: NAME, capacity: 0, allocatable: 0 }]);
});

test('a kubelet that starts again knows who has what', async () => {
  const before = await withThree();
  await given(before.devices, pod('one', container('main', 1)));
  await pass(before.clock, 1);
  const of = await bench(before.files);
  assert.deepEqual(idsOf(of, 'one'), ['a']);
  assert.deepEqual(of.devices.counts(), [{ resource: NAME, capacity: 0, allocatable: 0 }]);
  of.devices.add(NAME, '/s', { preStart: false, prefers: false });
  of.say('a', 'b');
  await given(of.devices, pod('two', container('main', 1)));
  assert.deepEqual(idsOf(of, 'two'), ['b']);
  of.devices.retain(new Set(['uid-two']));
  assert.equal(idsOf(of, 'one'), undefined);
});

test('a pod without such wishes is nobody’s business', async () => {
  const of = await withThree();
  assert.equal(
    await given(of.devices, testPod({ container: { resources: { limits: { 'other.dev/x': '1' } } } })),
    undefined,
  );
  assert.deepEqual(of.calls, []);
});

for (const [name, plugin] of [
  ['another version', { name: NAME, versions: ['v1alpha1'] }],
  ['a name of Kubernetes', { name: 'kubernetes.io/x', versions: ['v1beta1'] }],
  ['no domain', { name: 'x', versions: ['v1beta1'] }],
] as const)
  test(`${name} is refused`, async () => {
    const { devices } = await bench();
    assert.throws(() => devices.validate({ ...plugin, endpoint: '/s' }), PluginRefusal);
  });

test('who watches over devices is told who has them', async () => {
  const of = await withThree();
  const asked = pod('one', container('main', 1), { name: 'plain', image: 'i' });
  await given(of.devices, asked);
  assert.deepEqual(
    resourcesOf(
      { givers: () => ({ cpus: undefined, memory: undefined }), claims: { devicesOf: () => [] }, devices: of.devices },
      asked,
    ),
    {
      name: 'one',
      namespace: 'default',
      containers: [
        {
          name: 'main',
          cpu_ids: [],
          memory: [],
          dynamic_resources: [],
          devices: [{ resource_name: NAME, device_ids: ['a'], topology: { nodes: [{ ID: 0 }] } }],
        },
        { name: 'plain', cpu_ids: [], memory: [], dynamic_resources: [], devices: [] },
      ],
    },
  );
});

test('devices of one memory node go together; the others come after them, and those of none last', async () => {
  const of = await bench();
  of.devices.add(NAME, '/s', { preStart: false, prefers: false });
  of.say('n:Healthy:none', 'a:Healthy:0', 'b:Healthy:1', 'c:Healthy:1');
  const two = pod('one', container('main', 2));
  const hints = (asked: Pod): string[] | undefined =>
    of.devices
      .hints(asked, asked.spec.containers[0])
      .get(NAME)
      ?.map(({ nodes, isPreferred }) => `${nodes}${isPreferred ? '!' : ''}`);
  assert.deepEqual(hints(two), ['3', '2!']);
  assert.deepEqual([...of.devices.hints(two, undefined).values()][0]?.length, 2);
  const main = container('main', 2);
  const near = pod('one', main);
  assert.equal(await of.devices.give(near, { container: main, nodes: 2 }), undefined);
  assert.deepEqual(idsOf(of, 'one'), ['b', 'c']);
  assert.deepEqual(hints(near), ['3', '2!'], 'as it is held');
  const late = pod('two', main);
  assert.deepEqual(hints(late), []);
  assert.equal(await of.devices.give(late, { container: main, nodes: 2 }), undefined);
  assert.deepEqual(idsOf(of, 'two'), ['a', 'n']);
  assert.equal(of.devices.hints(pod('three', container('main', 0)), undefined).size, 0);
});

test('who does not say where its devices are does not mind', async () => {
  const of = await bench();
  of.devices.add(NAME, '/s', { preStart: false, prefers: false });
  of.say('n:Healthy:none');
  assert.deepEqual([...of.devices.hints(pod('one', container('main', 1)), undefined)], [[NAME, undefined]]);
});

test('a pod has its devices when that is written down, and not before', async () => {
  const path = '/k/device-plugins/kubelet_internal_checkpoint';
  const { files, hold } = heldFiles(path);
  const of = await bench(files);
  of.devices.add(NAME, '/s', { preStart: false, prefers: false });
  of.say('a');
  await of.devices.written;
  const letThrough = hold();
  let isGiven = false;
  const giving = given(of.devices, pod('one', container('main', 1))).then(() => (isGiven = true));
  await pass(of.clock, 1);
  assert.equal(isGiven, false);
  letThrough();
  await giving;
  assert.match(new TextDecoder().decode(await files.readFile(path)), /uid-one/);
});
