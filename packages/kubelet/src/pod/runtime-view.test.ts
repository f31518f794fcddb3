import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RuntimeNotFoundError } from '@binnacle/runtime';
import type { ContainerStatus, Runtime, SandboxStatus } from '@binnacle/runtime';
import { testPod } from '../testing/node.ts';
import { container, sandbox } from '../testing/seen.ts';
import { RuntimeView } from './runtime-view.ts';

interface Bench {
  readonly containers: Map<string, ContainerStatus>;
  readonly sandboxes: Map<string, SandboxStatus>;
  readonly asked: string[];
  readonly known: Set<string>;
  readonly view: RuntimeView;
}

function bench(): Bench {
  const containers = new Map<string, ContainerStatus>();
  const sandboxes = new Map<string, SandboxStatus>();
  const asked: string[] = [];
  const known = new Set<string>();
  const of = async <T>(map: Map<string, T>, id: string): Promise<T> => {
    asked.push(id);
    const found = map.get(id);
    if (found === undefined) throw new RuntimeNotFoundError('container', id);
    return found;
  };
  const runtime = {
    listContainers: async () => [...containers.values()],
    listSandboxes: async () => [...sandboxes.values()],
    containerStatus: (id: string) => of(containers, id),
    sandboxStatus: (id: string) => of(sandboxes, id),
  } as unknown as Runtime;
  const ids = { known: (id: string) => known.add(id), gone: (id: string) => known.delete(id) };
  return { containers, sandboxes, asked, known, view: new RuntimeView(runtime, 'uid-web', ids) };
}

const pod = testPod();

function listed(view: RuntimeView): Promise<void> {
  view.doubt();
  return view.look();
}

function looked(view: RuntimeView, id: string): Promise<void> {
  view.touch(id);
  return view.look();
}

test('a listing tells all, forgets what is gone, and asks for no exited container twice', async () => {
  const b = bench();
  b.sandboxes.set('s0', sandbox());
  b.containers.set('main-0', container(pod, { state: 'exited' }));
  b.containers.set('main-1', container(pod, { attempt: 1 }));
  await listed(b.view);
  assert.deepEqual(
    b.view.containers.map((c) => c.id),
    ['main-1', 'main-0'],
  );
  assert.deepEqual([...b.known].toSorted(), ['main-0', 'main-1', 's0']);
  b.asked.length = 0;
  b.containers.delete('main-1');
  await listed(b.view);
  assert.deepEqual(b.asked, ['s0']);
  assert.deepEqual(
    b.view.containers.map((c) => c.id),
    ['main-0'],
  );
  assert.deepEqual([...b.known].toSorted(), ['main-0', 's0'], 'nobody is kept for what is gone');
});

test('one look at one container', async () => {
  const b = bench();
  b.containers.set('main-0', container(pod));
  await looked(b.view, 'main-0');
  assert.equal(b.view.container('main-0')?.state, 'running');
  b.containers.delete('main-0');
  await looked(b.view, 'main-0');
  assert.deepEqual([b.view.has('main-0'), b.view.ids, b.known.size], [false, [], 0]);
});

test('the newest sandbox is the first', async () => {
  const b = bench();
  b.sandboxes.set('s0', sandbox({ state: 'notReady' }));
  b.sandboxes.set('s1', sandbox({ attempt: 1 }));
  await listed(b.view);
  assert.deepEqual(
    b.view.sandboxes.map((s) => s.id),
    ['s1', 's0'],
  );
  b.view.forget('s0');
  assert.equal(b.view.sandboxes.length, 1);
});

test('what was removed for its room is told of as before, whatever is looked at; what could not be removed is not', async () => {
  const b = bench();
  b.sandboxes.set('s0', sandbox({ state: 'notReady' }));
  b.containers.set('main-0', container(pod, { state: 'exited', exitCode: 3 }));
  await listed(b.view);
  await assert.rejects(b.view.discard('main-0', () => Promise.reject(new RuntimeNotFoundError('container', 'main-0'))));
  assert.equal(b.view.isDiscarded('main-0'), false);
  // The runtime's event comes before its answer.
  await b.view.discard('main-0', async () => {
    b.containers.clear();
    await looked(b.view, 'main-0');
  });
  await b.view.discard('s0', async () => b.sandboxes.clear());
  await listed(b.view);
  await looked(b.view, 's0');
  assert.deepEqual([b.view.container('main-0')?.exitCode, b.view.sandboxes[0]?.id], [3, 's0']);
  b.view.forget('main-0');
  assert.deepEqual([b.view.has('main-0'), b.view.isDiscarded('main-0')], [false, false]);
});

test('what is removed for good is nobody’s before the runtime tells of it; what could not be is there still', async () => {
  const b = bench();
  b.sandboxes.set('s0', sandbox({ state: 'notReady' }));
  b.containers.set('main-0', container(pod, { state: 'exited' }));
  await listed(b.view);
  await assert.rejects(b.view.remove('main-0', () => Promise.reject(new RuntimeNotFoundError('container', 'main-0'))));
  assert.deepEqual([b.view.container('main-0')?.state, b.known.has('main-0')], ['exited', true]);
  for (const id of ['main-0', 's0']) {
    let isKnown: boolean | undefined;
    await b.view.remove(id, async () => void (isKnown = b.known.has(id)));
    assert.deepEqual([isKnown, b.view.has(id)], [false, false]);
  }
});

test('what was made is foreseen to start until it is looked at; what is known to be there is foreseen too', async () => {
  const b = bench();
  assert.equal(b.view.foresees('main-0'), false);
  b.view.expect('main-0');
  assert.deepEqual([b.view.foresees('main-0'), b.view.foresees('main-1')], [true, false]);
  const looking = b.view.refreshContainer('main-0');
  assert.equal(b.view.foresees('main-0'), false, 'what happens during the look may be missing from it');
  await looking;
  assert.equal(b.view.foresees('main-0'), false, 'it is gone');
  b.containers.set('main-0', container(pod));
  await looked(b.view, 'main-0');
  assert.equal(b.view.foresees('main-0'), true);
  b.containers.set('main-0', container(pod, { state: 'unknown' }));
  await looked(b.view, 'main-0');
  assert.equal(b.view.foresees('main-0'), false);
});
