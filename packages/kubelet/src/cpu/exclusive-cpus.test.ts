import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import type { Container, Pod } from '@binnacle/api/core/v1';
import { KubeletConfigError } from '../errors.ts';
import { given } from '../testing/giving.ts';
import { heldFiles } from '../testing/held-files.ts';
import { pass, testPod } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { ExclusiveCpus, exclusiveCount } from './exclusive-cpus.ts';

const PATH = '/kubelet/cpu_manager_state';

async function cpusOf(count: number, files = createMemoryFiles(), policy: 'none' | 'static' = 'static') {
  let changes = 0;
  const cpus = new ExclusiveCpus({
    policy,
    topology: async () => Array.from({ length: count }, (_, id) => ({ id, core: id, socket: 0, node: 0 })),
    nodeIds: () => [0],
    reserved: [0],
    files,
    path: PATH,
    log: silentLogger,
    sharedChanged: () => changes++,
  });
  await cpus.recall();
  return { cpus, changes: () => changes };
}

const whole = (name: string, cpu: string, more: Partial<Container> = {}): Container => ({
  name,
  image: 'x',
  resources: { limits: { cpu, memory: '64Mi' }, requests: { cpu, memory: '64Mi' } },
  ...more,
});

function podOf(uid: string, containers: Container[], initContainers: Container[] = []): Pod {
  const made = testPod({ metadata: { name: uid, uid } });
  return { ...made, status: {}, spec: { ...made.spec, containers, initContainers } };
}

describe('who has CPUs alone', () => {
  for (const { name, pod, wanted } of [
    { name: 'whole ones of a guaranteed pod', pod: podOf('a', [whole('c', '2')]), wanted: 2 },
    { name: 'written in thousandths', pod: podOf('a', [whole('c', '2000m')]), wanted: 2 },
    { name: 'a part', pod: podOf('a', [whole('c', '1500m')]), wanted: 0 },
    {
      name: 'a pod that bursts',
      pod: podOf('a', [whole('c', '2', { resources: { requests: { cpu: '2' } } })]),
      wanted: 0,
    },
    { name: 'nothing asked for', pod: podOf('a', [{ name: 'c', image: 'x' }]), wanted: 0 },
  ]) {
    test(name, () => assert.equal(exclusiveCount(pod, pod.spec.containers[0] as Container), wanted));
  }
});

describe('CPUs for containers alone', () => {
  test('are taken from all others, and given back', async () => {
    const { cpus, changes } = await cpusOf(4);
    assert.equal(cpus.groupCpus('a', 'c'), '0-3');
    assert.equal(await given(cpus, podOf('a', [whole('c', '2'), whole('part', '500m')])), undefined);
    assert.deepEqual(
      [cpus.groupCpus('a', 'c'), cpus.groupCpus('a', 'part'), cpus.groupCpus('b', 'c')],
      ['1-2', '0,3', '0,3'],
    );
    assert.deepEqual([cpus.holds('a'), cpus.holds('b'), changes()], [true, false, 1]);
    assert.equal(cpus.refuseResize(podOf('a', []))?.reason, 'Infeasible');
    cpus.release('a');
    assert.equal(cpus.refuseResize(podOf('a', [])), undefined);
    assert.deepEqual([cpus.groupCpus('b', 'c'), changes()], ['0-3', 2]);
    cpus.release('a');
    assert.equal(changes(), 2);
  });

  test('are given once; those reserved never, and the pod that is too much is told so', async () => {
    const { cpus } = await cpusOf(4);
    const first = podOf('a', [whole('c', '2')]);
    assert.equal(await given(cpus, first), undefined);
    assert.equal(await given(cpus, first), undefined);
    assert.deepEqual(await given(cpus, podOf('b', [whole('c', '2')])), {
      reason: 'UnexpectedAdmissionError',
      message:
        'Allocate failed due to not enough cpus available to satisfy request: requested=2, available=1, which is unexpected',
    });
    assert.equal(cpus.holds('b'), false);
    assert.equal(await given(cpus, podOf('c', [whole('c', '1')])), undefined);
    assert.deepEqual(cpus.own('c', 'c'), [3]);
  });

  test('of an init container serve those that come behind it; a sidecar keeps its own', async () => {
    const { cpus } = await cpusOf(5);
    const sidecar = whole('side', '1', { restartPolicy: 'Always' });
    const pod = podOf('a', [whole('main', '2')], [whole('first', '2'), sidecar, whole('second', '1')]);
    assert.equal(await given(cpus, pod), undefined);
    assert.deepEqual(cpus.own('a', 'first'), [1, 2]);
    const [side, main] = [cpus.own('a', 'side') ?? [], cpus.own('a', 'main') ?? []];
    assert.equal(new Set([...side, ...main]).size, 3, 'those that run side by side share none');
    assert.ok(new Set([...side, ...main]).size <= 4);
  });

  test('are remembered; pods that are gone give them back', async () => {
    const files = createMemoryFiles();
    const { cpus: before } = await cpusOf(4, files);
    await given(before, podOf('a', [whole('c', '1')]));
    await given(before, podOf('b', [whole('c', '1')]));
    await new Promise((resolve) => setImmediate(resolve));
    const { cpus: later } = await cpusOf(4, files);
    assert.deepEqual([later.own('a', 'c'), later.own('b', 'c')], [[1], [2]]);
    later.retain(new Set(['b']));
    assert.equal(later.groupCpus('x', 'c'), '0-1,3');
    await assert.rejects(cpusOf(4, files, 'none'), /please drain this node/);
    await assert.rejects(cpusOf(2, files), KubeletConfigError);
  });

  test('without the policy nothing is said about CPUs', async () => {
    const { cpus } = await cpusOf(4, createMemoryFiles(), 'none');
    assert.equal(await given(cpus, podOf('a', [whole('c', '2')])), undefined);
    assert.deepEqual([cpus.groupCpus('a', 'c'), cpus.holds('a'), cpus.givable], [undefined, false, []]);
  });
});

describe('CPUs of one memory node', () => {
  /** Two nodes of two CPUs; CPU 0 is kept. */
  async function onTwoNodes() {
    const cpus = new ExclusiveCpus({
      policy: 'static',
      topology: async () => [0, 1, 2, 3].map((id) => ({ id, core: id, socket: 0, node: id < 2 ? 0 : 1 })),
      nodeIds: () => [0, 1],
      reserved: [0],
      files: createMemoryFiles(),
      path: PATH,
      log: silentLogger,
      sharedChanged: () => undefined,
    });
    await cpus.recall();
    return cpus;
  }
  const shown = (cpus: ExclusiveCpus, pod: Pod, container?: Container): string[] | undefined =>
    cpus
      .hints(pod, container)
      .get('cpu')
      ?.map(({ nodes, isPreferred }) => `${nodes}${isPreferred ? '!' : ''}`);

  test('are hinted at for a container and for a pod', async () => {
    const cpus = await onTwoNodes();
    const [one, two] = [whole('c', '1'), whole('d', '2')];
    const pod = podOf('a', [one, two]);
    assert.deepEqual(shown(cpus, pod, one), ['3', '2!', '1!']);
    assert.deepEqual(shown(cpus, pod, two), ['3', '2!']);
    assert.deepEqual(shown(cpus, pod), ['3!'], 'three of four are more than one node has');
    assert.equal(shown(cpus, podOf('b', [whole('c', '500m')])), undefined);
  });

  test('are given, hinted at as they are held, and used once more', async () => {
    const cpus = await onTwoNodes();
    const [init, late] = [whole('i', '2'), whole('c', '1')];
    const pod = podOf('a', [late], [init]);
    assert.equal(cpus.give(pod, { container: init, nodes: 2 }), undefined);
    assert.deepEqual(cpus.own('a', 'i'), [2, 3]);
    assert.deepEqual(shown(cpus, pod, init), ['3', '2!']);
    assert.deepEqual(shown(cpus, pod, late), ['3', '2!'], 'where it has some already');
    assert.equal(cpus.give(pod, { container: late, nodes: 2 }), undefined);
    assert.deepEqual([cpus.own('a', 'c'), cpus.counts], [[2], { requests: 2, errors: 0 }]);
  });
});

for (const text of [
  ...['', '{', 'null', '[]', '{"policyName":"static"}', '{"policyName":"static","entries":null}'],
  ...['{"policyName":"static","entries":{"u":null}}', '{"policyName":"static","entries":{"u":{"c":1}}}'],
]) {
  test(`a file that no kubelet wrote ends the kubelet with words: ${text}`, async () => {
    const files = createMemoryFiles();
    await files.writeFile(PATH, new TextEncoder().encode(text));
    for (const policy of ['static', 'none'] as const) {
      await assert.rejects(cpusOf(4, files, policy), (error: Error) => {
        assert.ok(error instanceof KubeletConfigError);
        assert.match(error.message, /checkpoint is corrupted, please drain this node and delete the CPU manager/);
        return true;
      });
    }
  });
}

test('who has CPUs for itself has them when that is written down, and not before', async () => {
  const { files, hold } = heldFiles(PATH);
  const { cpus } = await cpusOf(4, files);
  const letThrough = hold();
  let isGiven = false;
  const giving = given(cpus, podOf('a', [whole('c', '2')])).then(() => (isGiven = true));
  await pass(new VirtualClock(), 1);
  assert.equal(isGiven, false);
  letThrough();
  await giving;
  assert.match(new TextDecoder().decode(await files.readFile(PATH)), /"a"/);
});
