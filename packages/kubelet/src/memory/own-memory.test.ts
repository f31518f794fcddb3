import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import type { Container, Pod } from '@binnacle/api/core/v1';
import { KubeletConfigError } from '../errors.ts';
import { aligned, given, numaNodes } from '../testing/giving.ts';
import { heldFiles } from '../testing/held-files.ts';
import { pass, testPod } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { OwnMemory, wishOf } from './own-memory.ts';

const PATH = '/kubelet/memory_manager_state';
const MI = 2 ** 20;

/** Two nodes of 100 Mi, of which the first keeps 20. */
async function memoryOf(files = createMemoryFiles(), of: { policy?: 'None' | 'Static'; bytes?: number } = {}) {
  const memory = new OwnMemory({
    policy: of.policy ?? 'Static',
    nodes: () => numaNodes(2, of.bytes ?? 100 * MI),
    reserved: new Map([[0, new Map([['memory', 20 * MI]])]]),
    reservedBytes: 20 * MI,
    files,
    path: PATH,
    log: silentLogger,
  });
  await memory.recall();
  return memory;
}

const asking = (name: string, mebibytes: number, more: Partial<Container> = {}): Container => ({
  name,
  image: 'x',
  resources: { limits: { cpu: '1', memory: `${mebibytes}Mi` }, requests: { cpu: '1', memory: `${mebibytes}Mi` } },
  ...more,
});

function podOf(uid: string, containers: Container[], initContainers: Container[] = []): Pod {
  const made = testPod({ metadata: { name: uid, uid } });
  return { ...made, status: {}, spec: { ...made.spec, containers, initContainers } };
}

const SIDECAR = { restartPolicy: 'Always' as const };

describe('memory for containers alone', () => {
  test('is promised from one node, and given back', async () => {
    const memory = await memoryOf();
    assert.equal(await given(memory, podOf('a', [asking('c', 70)])), undefined);
    assert.equal(await given(memory, podOf('b', [asking('c', 70)])), undefined);
    assert.deepEqual(
      [memory.groupNodes('a', 'c'), memory.groupNodes('b', 'c'), memory.groupNodes('x', 'c')],
      ['0', '1', undefined],
    );
    const refused = await given(memory, podOf('d', [asking('c', 70)]));
    assert.deepEqual(refused, {
      reason: 'UnexpectedAdmissionError',
      message:
        'Allocate failed due to [memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available, which is unexpected',
    });
    assert.deepEqual(memory.counts, { requests: 3, errors: 1 });
    assert.equal(memory.refuseResize(podOf('a', []))?.reason, 'Infeasible');
    memory.release('a');
    assert.equal(memory.refuseResize(podOf('a', [])), undefined);
    assert.equal(await given(memory, podOf('d', [asking('c', 70)])), undefined);
    assert.deepEqual(memory.held('d', 'c'), [{ nodes: [0], resource: 'memory', bytes: 70 * MI }]);
  });

  test('is promised from several where one has too little', async () => {
    const memory = await memoryOf();
    assert.equal(await given(memory, podOf('a', [asking('c', 150)])), undefined);
    assert.equal(memory.groupNodes('a', 'c'), '0-1');
    assert.equal(
      (await given(memory, podOf('b', [asking('c', 10)])))?.reason,
      undefined,
      'together with the same ones',
    );
    assert.equal(memory.groupNodes('b', 'c'), '0-1');
  });

  test('is not for pods that burst, nor where none is promised', async () => {
    const memory = await memoryOf();
    const bursting = podOf('a', [{ name: 'c', image: 'x', resources: { requests: { memory: '5Mi' } } }]);
    assert.equal(await given(memory, bursting), undefined);
    const off = await memoryOf(createMemoryFiles(), { policy: 'None' });
    assert.equal(await given(off, podOf('b', [asking('c', 5)])), undefined);
    assert.deepEqual([memory.groupNodes('a', 'c'), off.groupNodes('b', 'c'), off.givable], [undefined, undefined, []]);
    assert.equal(off.hints(podOf('b', [asking('c', 5)]), undefined).size, 0);
  });

  for (const { name, init, wanted } of [
    {
      name: 'of init containers serves those after them',
      init: [asking('i', 60), asking('j', 70)],
      wanted: [0, 10, 60],
    },
    { name: 'of sidecars stays theirs', init: [asking('i', 10, SIDECAR), asking('j', 60)], wanted: [10, 0, 60] },
  ]) {
    test(name, async () => {
      const memory = await memoryOf();
      assert.equal(await given(memory, podOf('a', [asking('c', 60)], init)), undefined);
      const held = ['i', 'j', 'c'].map((container) => (memory.held('a', container)[0]?.bytes ?? -1) / MI);
      assert.deepEqual(held, wanted);
    });
  }

  test('all of one pod lies where the policy wants it', async () => {
    const memory = await memoryOf();
    const of = { nodes: numaNodes(2), topologyManagerPolicy: 'single-numa-node', topologyManagerScope: 'pod' } as const;
    const byPod = aligned([memory], of);
    assert.equal(await byPod.give(podOf('a', [asking('c', 50), asking('d', 50)])), undefined);
    assert.deepEqual([memory.groupNodes('a', 'c'), memory.groupNodes('a', 'd')], ['1', '1']);
    assert.equal((await byPod.give(podOf('b', [asking('c', 50), asking('d', 50)])))?.reason, 'TopologyAffinityError');
    const byContainer = aligned([memory], { ...of, topologyManagerScope: 'container' });
    assert.equal(
      (await byContainer.give(podOf('b', [asking('c', 70), asking('d', 50)])))?.reason,
      'TopologyAffinityError',
    );
    assert.deepEqual(memory.held('b', 'c'), [], 'taken back');
  });

  test('is told of where it is held: after a restart nothing moves', async () => {
    const files = createMemoryFiles();
    const before = await memoryOf(files);
    await given(before, podOf('a', [asking('c', 70)]));
    await given(before, podOf('b', [asking('c', 70)]));
    const later = await memoryOf(files);
    assert.deepEqual(
      [...later.hints(podOf('b', [asking('c', 70)]), asking('c', 70))],
      [['memory', [{ nodes: 2, isPreferred: true }]]],
    );
    later.retain(new Set(['b']));
    assert.deepEqual([later.groupNodes('a', 'c'), later.groupNodes('b', 'c')], [undefined, '1']);
    await assert.rejects(memoryOf(files, { policy: 'None' }), KubeletConfigError);
    await assert.rejects(
      memoryOf(files, { bytes: 90 * MI }),
      /the expected machine state is different from the real one/,
    );
  });
});

test('what a container asks for: memory and huge pages, limits where nothing else is said', () => {
  const container = {
    name: 'c',
    resources: { limits: { cpu: '1', memory: '1Ki', 'hugepages-2Mi': '4Mi' }, requests: { memory: '1Ki' } },
  };
  assert.deepEqual(
    [...wishOf(container)],
    [
      ['memory', 1024],
      ['hugepages-2Mi', 4 * MI],
    ],
  );
});

const state = (entries: unknown, machineState: unknown = {}): string =>
  JSON.stringify({ policyName: 'Static', entries, machineState });

for (const text of [
  ...['', '{', 'null', '{"policyName":"Static","entries":{}}', state(null), state({}, null), state({ u: null })],
  ...[
    state({ u: { c: null } }),
    state({ u: { c: [null] } }),
    state({}, { 0: null }),
    state({}, { 0: { memoryMap: null } }),
  ],
  ...[
    state({ u: { c: [{ numaAffinity: null, type: 'memory', size: 1 }] } }),
    state({}, { 0: { memoryMap: { memory: 1 } } }),
  ],
]) {
  test(`a file that no kubelet wrote ends the kubelet with words: ${text}`, async () => {
    const files = createMemoryFiles();
    await files.writeFile(PATH, new TextEncoder().encode(text));
    await assert.rejects(memoryOf(files), (error: Error) => {
      assert.ok(error instanceof KubeletConfigError);
      assert.match(error.message, /checkpoint is corrupted, please drain this node and delete the memory manager/);
      return true;
    });
  });
}

test('who is promised memory has it when that is written down, and not before', async () => {
  const { files, hold } = heldFiles(PATH);
  const memory = await memoryOf(files);
  const letThrough = hold();
  let isGiven = false;
  const giving = given(memory, podOf('a', [asking('c', 70)])).then(() => (isGiven = true));
  await pass(new VirtualClock(), 1);
  assert.equal(isGiven, false);
  letThrough();
  await giving;
  assert.match(new TextDecoder().decode(await files.readFile(PATH)), /"a"/);
});
