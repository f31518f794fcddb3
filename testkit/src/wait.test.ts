import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CONFIG_MAPS } from '@binnacle/api';
import type { ConfigMap } from '@binnacle/api/core/v1';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import type { ApiCall, WatchCall, WatchEvent, WatchSink, Wire } from '@binnacle/machinery';
import { TestkitError } from './errors.ts';
import { waitFor } from './wait.ts';
import type { Wait } from './wait.ts';

const configMap = (name: string, data: ConfigMap['data'] = {}): ConfigMap => ({
  metadata: { name, namespace: 'default', resourceVersion: '7' },
  data,
});
const names = (objects: readonly ConfigMap[]): string => objects.map((o) => o.metadata.name).join();
const WANTED = { resource: CONFIG_MAPS, namespace: 'default', what: 'it' } as const;

test('of a real API server it sees what comes, changes and goes, by its selectors alone', async () => {
  const clock = new VirtualClock();
  const client = createClient(createMemoryApi({ clock, random: createSeededRandom(3) }).connect());
  const maps = client.resource(CONFIG_MAPS, 'default');
  const seen: string[] = [];
  const until: Wait<ConfigMap>['until'] = (objects) => {
    seen.push(objects.map((o) => `${o.metadata.name}=${o.data?.['a'] ?? ''}`).join());
    return seen.length > 3 && objects.length === 0;
  };
  const waiting = waitFor({ ...WANTED, client, labelSelector: 'app=web', until });
  const labels = { app: 'web' };
  for (const act of [
    () => maps.create({ metadata: { name: 'other' } }),
    () => maps.create({ metadata: { name: 'one', labels } }),
    () => maps.patch('one', 'merge', { data: { a: '1' } }),
    () => maps.patch('one', 'merge', { metadata: { labels: { app: 'db' } } }),
  ]) {
    await clock.advance(0);
    await act();
  }
  await clock.advance(0);
  assert.deepEqual(await waiting, []);
  assert.deepEqual(seen, ['', 'one=', 'one=1', '']);
});

/** A wire whose list and watch are told by the test. */
function scripted(list: readonly ConfigMap[] = []) {
  const calls: (ApiCall | WatchCall)[] = [];
  const state = { isStopped: false, sink: undefined as WatchSink<ConfigMap> | undefined };
  const wire: Pick<Wire, 'call' | 'watch'> = {
    call: (call) => {
      calls.push(call);
      return Promise.resolve({ metadata: { resourceVersion: '7' }, items: list });
    },
    watch: (call, sink) => {
      calls.push(call);
      state.sink = sink as never;
      return { stop: () => (state.isStopped = true) };
    },
  };
  const client = createClient(wire as Wire);
  const event = (type: WatchEvent['type'], object: ConfigMap): WatchEvent<ConfigMap> => ({ type, object });
  /** Waits, and answers with the sink once there is one. */
  const wait = async (until: Wait<ConfigMap>['until'], more: Partial<Wait<ConfigMap>> = {}) => {
    const waiting = waitFor({ ...WANTED, client, until, ...more });
    // What it rejects with, its test asks for later.
    waiting.catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(state.sink !== undefined);
    return { waiting, sink: state.sink };
  };
  return { calls, state, client, event, wait };
}

describe('a wait', () => {
  test('for what is there already opens no watch', async () => {
    const { calls, client } = scripted([configMap('one')]);
    assert.equal(names(await waitFor({ ...WANTED, client, name: 'one', until: (all) => all.length === 1 })), 'one');
    const queries = calls.map((call) => call.query);
    assert.deepEqual(queries, [{ fieldSelector: 'metadata.name=one' }]);
  });

  test('watches from what it listed', async () => {
    const { calls, event, wait } = scripted([configMap('one')]);
    const { waiting, sink } = await wait((all) => all.length === 2);
    assert.equal(calls[1]?.query?.['resourceVersion'], '7');
    sink.events([event('ADDED', configMap('two'))]);
    assert.equal(names(await waiting), 'one,two');
  });

  test('sees each moment of a batch, and answers with that one', async () => {
    const { state, event, wait } = scripted();
    const { waiting, sink } = await wait((all) => all.some((o) => o.data?.['at'] === 'noon'));
    const at = (time: string): ConfigMap => configMap('one', { at: time });
    sink.events([event('ADDED', at('dawn')), event('MODIFIED', at('noon')), event('DELETED', at('dusk'))]);
    assert.deepEqual((await waiting)[0]?.data, { at: 'noon' });
    assert.equal(state.isStopped, true);
  });

  test('takes a bookmark for no object', async () => {
    const { event, wait } = scripted();
    const { waiting, sink } = await wait((all) => all.length > 0);
    sink.events([event('BOOKMARK', configMap('')), event('ADDED', configMap('one'))]);
    assert.equal(names(await waiting), 'one');
  });

  const failed = async (waiting: Promise<unknown>, message: RegExp): Promise<void> => {
    await assert.rejects(waiting, (error: Error) => {
      assert.ok(error instanceof TestkitError);
      assert.match(error.message, message);
      return true;
    });
  };

  test('that is in vain tells what was wanted and what there is, and leaves no watch', async () => {
    const { state, wait } = scripted([configMap('one')]);
    const { waiting } = await wait(() => false, { what: 'a miracle', deadlineMs: 1 });
    await failed(waiting, /^waited 1 ms for a miracle; there is: \[\{"name":"default\/one"\}\]$/);
    assert.equal(state.isStopped, true);
  });

  test('fails at once when its watch ends', async () => {
    const { wait } = scripted();
    const clean = await wait(() => false);
    clean.sink.end();
    await failed(clean.waiting, /^the watch ended while waiting for it$/);
    const cut = await wait(() => false);
    cut.sink.end(new RangeError('cut'));
    await assert.rejects(cut.waiting, RangeError);
  });

  test('whose predicate fails, fails with that: the watch is not told, and goes on for nobody', async () => {
    const { state, event, wait } = scripted();
    const { waiting, sink } = await wait((all) => {
      assert.equal(all.length, 0, 'nobody else is here');
      return false;
    });
    sink.events([event('ADDED', configMap('one'))]);
    await assert.rejects(waiting, /nobody else is here/);
    assert.equal(state.isStopped, true);
  });
});
