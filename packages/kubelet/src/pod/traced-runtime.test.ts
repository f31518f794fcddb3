import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hop, Trace } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import type { Runtime } from '@binnacle/runtime';
import { tracedRuntime } from './traced-runtime.ts';

const POD = {
  metadata: { namespace: 'a', name: 'p', uid: 'u1', resourceVersion: '7' },
  spec: { containers: [] },
} as Pod;

function traceInto(hops: Hop[], on = true): Trace {
  return { on, now: () => 5, record: (hop) => void hops.push(hop) };
}

/** Keeps something to itself, as drivers do. */
class Driver {
  readonly #id = 's1';

  runSandbox(): Promise<string> {
    return Promise.resolve(this.#id);
  }

  startContainer(): Promise<void> {
    return Promise.reject(new RangeError(`no such program in ${this.#id}`));
  }

  listContainers(): Promise<string[]> {
    return Promise.resolve([this.#id]);
  }
}

function runtime(): Runtime {
  return new Driver() as unknown as Runtime;
}

const PODS = {
  podByUid: (uid: string) => (uid === 'u1' ? POD : undefined),
  podOf: (id: string) => (id === 'c1' ? POD : undefined),
};

test('steps are told with their pod, its version, and what came of them; questions are not', async () => {
  const hops: Hop[] = [];
  const traced = tracedRuntime(runtime(), { trace: traceInto(hops), nodeName: 'n', ...PODS });
  await traced.runSandbox({ uid: 'u1' } as never);
  await assert.rejects(traced.startContainer('c1'), RangeError);
  assert.deepEqual(await traced.listContainers({}), ['s1']);
  const object = { group: '', resource: 'pods', namespace: 'a', name: 'p', uid: 'u1' };
  assert.deepEqual(
    hops.map(({ name, object: about, revision, error, detail }) => ({ name, about, revision, error, detail })),
    [
      { name: 'run sandbox', about: object, revision: '7', error: undefined, detail: { call: 'runSandbox', id: 's1' } },
      {
        name: 'start container',
        about: object,
        revision: '7',
        error: 'no such program in s1',
        detail: { call: 'startContainer', id: 'c1' },
      },
    ],
  );
});

test('off: it is the runtime itself', () => {
  const own = runtime();
  assert.equal(tracedRuntime(own, { trace: traceInto([], false), nodeName: 'n', ...PODS }), own);
});
