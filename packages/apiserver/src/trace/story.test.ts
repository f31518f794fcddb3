import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { Cause, Hop } from '@binnacle/base';
import type { CommitRecord, DeliveryRecord, RequestRecord, TraceRecord } from '../recording/record.ts';
import { Recorder, TRACE_BOUNDS } from '../recording/recorder.ts';
import { storyOf } from './story.ts';
import { objectOf, TraceIndex } from './trace-index.ts';

const cause = (id: string, revision?: string): Cause =>
  ({ id, component: 'c', request: 'r', ...(revision === undefined ? {} : { revision }) }) as Cause;

function request(id: string, more: Partial<RequestRecord> = {}): RequestRecord {
  return {
    kind: 'request',
    id,
    method: 'POST',
    path: '',
    code: 201,
    agent: '',
    query: '',
    seq: 0,
    verb: 'create',
    isResource: true,
    group: '',
    resource: 'pods',
    subresource: '',
    namespace: 'a',
    name: 'p',
    user: 'alice',
    impersonated: undefined,
    cause: undefined,
    ...more,
  } as RequestRecord;
}

function commit(revision: number, by: string, more: Partial<CommitRecord> = {}): CommitRecord {
  return {
    kind: 'commit',
    seq: 0,
    revision,
    group: '',
    resource: 'pods',
    key: 'a/p',
    namespaced: true,
    cause: cause(by),
    ...more,
  } as CommitRecord;
}

const hop = (id: string, more: Partial<Hop> = {}): Hop =>
  ({ id, kind: 'runtime', component: 'kubelet n', name: 'start', startedAt: 0, durationMs: 0, ...more }) as Hop;
const POD = { group: '', resource: 'pods', namespace: 'a', name: 'p' };

describe('what a record is about', () => {
  const watch = { id: 'w', user: 'u', agent: '', path: '', query: undefined, group: 'apps', resource: 'deployments' };
  const delivery = (key: string): DeliveryRecord => ({ kind: 'delivery', key, watch }) as unknown as DeliveryRecord;
  const component = (object: object | undefined): TraceRecord =>
    ({ kind: 'component', hop: object === undefined ? hop('h') : hop('h', { object } as Partial<Hop>) }) as TraceRecord;
  const rows: readonly (readonly [name: string, record: TraceRecord, about: object | undefined])[] = [
    ['a request', request('r'), POD],
    ['a collection', request('r', { name: '' }), undefined],
    ['a path', request('r', { isResource: false, name: 'x' }), undefined],
    [
      'a namespace, which is in none',
      request('r', { resource: 'namespaces', namespace: 'a', name: 'a' }),
      { group: '', resource: 'namespaces', namespace: '', name: 'a' },
    ],
    [
      'what others call namespaces',
      request('r', { group: 'example.com', resource: 'namespaces' }),
      { ...POD, group: 'example.com', resource: 'namespaces' },
    ],
    ['a commit', commit(1, 'r'), POD],
    [
      'a commit in no namespace',
      commit(1, 'r', { resource: 'nodes', key: 'n' }),
      { ...POD, resource: 'nodes', namespace: '', name: 'n' },
    ],
    ['a name with a slash', commit(1, 'r', { key: 'a/b/c' }), { ...POD, name: 'b/c' }],
    ['a delivery', delivery('a/d'), { group: 'apps', resource: 'deployments', namespace: 'a', name: 'd' }],
    ['a step', component({ group: '', resource: 'pods', namespace: 'a', name: 'p' }), POD],
    [
      'a step about what is in no namespace',
      component({ group: '', resource: 'nodes', name: 'n' }),
      { group: '', resource: 'nodes', namespace: '', name: 'n' },
    ],
    ['a step about nothing', component(undefined), undefined],
  ];
  for (const [name, record, about] of rows) {
    test(name, () => {
      const found = objectOf(record);
      const { group, resource, namespace, name: called } = found ?? POD;
      assert.deepEqual(found && { group, resource, namespace, name: called }, about);
    });
  }
});

describe('the story of an object', () => {
  /** The ids of requests and steps, the revisions of commits. */
  async function told(fill: (recorder: Recorder) => void): Promise<string[]> {
    const clock = new VirtualClock();
    const recorder = new Recorder(clock, TRACE_BOUNDS);
    fill(recorder);
    const index = new TraceIndex(recorder, clock);
    await index.update();
    return [...storyOf(index, POD)]
      .map((record) => {
        if (record.kind === 'request') return record.id;
        return record.kind === 'commit'
          ? String(record.revision)
          : record.kind === 'component'
            ? String(record.hop.id)
            : 'delivery';
      })
      .sort();
  }

  test('nothing of what nobody knows', async () => assert.deepEqual(await told(() => undefined), []));

  test('what was done to it, with what led to that', async () => {
    const story = await told((recorder) => {
      recorder.request(request('deploy', { resource: 'deployments', group: 'apps', name: 'd' }));
      recorder.commit(commit(5, 'deploy', { resource: 'deployments', group: 'apps', key: 'a/d' }));
      recorder.request(request('make', { name: '', cause: cause('sync', '5') }));
      recorder.commit(commit(6, 'make'));
      recorder.request(request('else', { name: 'q' }));
      recorder.commit(commit(7, 'else', { key: 'a/q' }));
    });
    assert.deepEqual(story, ['5', '6', 'deploy', 'make']);
  });

  test('reads are no part of it', async () => {
    const story = await told((recorder) => {
      for (const verb of ['get', 'list', 'watch']) recorder.request(request(verb, { verb }));
      recorder.request(request('update', { verb: 'update' }));
    });
    assert.deepEqual(story, ['update']);
  });

  test('what steps asked for, but not to tell of it', async () => {
    const story = await told((recorder) => {
      recorder.record(hop('start', { object: POD } as Partial<Hop>));
      recorder.request(
        request('status', { resource: 'nodes', namespace: '', name: 'n', verb: 'patch', cause: cause('start') }),
      );
      recorder.request(request('event', { resource: 'events', name: '', cause: cause('start') }));
      recorder.request(request('look', { resource: 'secrets', name: 's', verb: 'get', cause: cause('start') }));
    });
    assert.deepEqual(story, ['start', 'status']);
  });

  test('causes in a circle end, and so do long chains', async () => {
    const circle = await told((recorder) => {
      recorder.request(request('a', { verb: 'patch', cause: cause('b') }));
      recorder.request(request('b', { verb: 'patch', cause: cause('a') }));
    });
    assert.deepEqual(circle, ['a', 'b']);
    const chain = await told((recorder) => {
      for (let i = 0; i < 200; i++) {
        recorder.request(
          request(`r${i}`, {
            name: i === 199 ? 'p' : 'other',
            verb: 'patch',
            ...(i === 0 ? {} : { cause: cause(`r${i - 1}`) }),
          }),
        );
      }
    });
    assert.deepEqual(
      [chain.length, chain.includes('r199'), chain.includes('r136'), chain.includes('r135')],
      [64, true, true, false],
    );
  });

  test('a story that is too long begins late', async () => {
    const story = await told((recorder) => {
      for (let i = 0; i < 5100; i++) recorder.request(request(`r${i}`, { verb: 'patch' }));
    });
    assert.deepEqual([story.length, story.includes('r99'), story.includes('r5099')], [5000, false, true]);
  });

  test('of one that is too long what came last is told, with what led to it', async () => {
    const story = await told((recorder) => {
      for (let i = 0; i < 4000; i++) {
        recorder.record(hop(`step${i}`));
        recorder.request(request(`r${i}`, { verb: 'patch', cause: cause(`step${i}`) }));
        recorder.commit(commit(i + 1, `r${i}`));
      }
    });
    const kept = ['r0', 'step3999', 'r3999', '4000'].map((name) => story.includes(name));
    assert.deepEqual(kept, [false, true, true, true]);
  });

  test('a chain of its own steps is followed to where it began', async () => {
    const story = await told((recorder) => {
      recorder.request(request('first', { name: 'other', verb: 'patch' }));
      for (let i = 0; i < 200; i++) {
        const before = i === 0 ? 'first' : `r${i - 1}`;
        recorder.request(request(`r${i}`, { verb: 'patch', cause: cause(before) }));
      }
    });
    assert.deepEqual([story.length, story.includes('first')], [201, true]);
  });
});
