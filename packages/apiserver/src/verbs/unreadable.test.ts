/** One stored object that cannot be read, among others that can. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { createMemoryStore } from '@binnacle/store';
import { startTestServer } from '../testing/test-server.ts';
import type { TestServer } from '../testing/test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const KEY = '/registry/configmaps/default/bad';
const HEAD = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{';

const VALUES: readonly [name: string, value: string][] = [
  ['nothing', ''],
  ['no JSON', 'k8s\0\n\f'],
  ['cut off', '{"kind":"ConfigMap","apiVersion":"v1","metad'],
  ['cut off later', `${HEAD}"name":"bad"`],
  ['of another shape', `${HEAD}"name":{}},"data":[]}`],
];

/** Written past the server, before it starts or while it runs. */
async function withBad(value: string, isThere: boolean): Promise<TestServer> {
  const store = createMemoryStore({ clock: new VirtualClock(), startRevision: 100 });
  const good = (name: string): string => `${HEAD}"name":"${name}","namespace":"default","uid":"u"}}`;
  const put = async (key: string, text: string): Promise<unknown> =>
    store.txn({
      compare: [],
      success: [{ type: 'put', key, value: new TextEncoder().encode(text) }],
      failure: [],
    });
  await put('/registry/configmaps/default/a', good('a'));
  await put('/registry/configmaps/default/z', good('z'));
  if (isThere) await put(KEY, value);
  const server = await startTestServer({ store });
  if (!isThere) await put(KEY, value);
  return server;
}

for (const isThere of [true, false]) {
  for (const [name, value] of VALUES) {
    test(`${isThere ? 'found at the start' : 'written meanwhile'}: ${name}`, async () => {
      const { ask, parts } = await withBad(value, isThere);
      // Policy follows this kind, as several do.
      const seen: string[] = [];
      parts.foundation.caches.follow({ group: '', resource: 'configmaps' }, (_, after) => {
        if (after !== undefined) seen.push(after.metadata.name ?? '');
      });
      const list = await ask(`GET ${MAPS}`);
      assert.equal(list.code, 200);
      assert.deepEqual(
        (list.body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name),
        ['a', 'z'],
      );
      assert.equal(list.warnings.length, 1);
      assert.match(
        list.warnings[0] ?? '',
        /^stored objects that cannot be read are left out: "\/registry\/configmaps\/default\/bad" \(/,
      );
      assert.deepEqual(seen, ['a', 'z']);
      for (const line of [`GET ${MAPS}/bad`, `DELETE ${MAPS}/bad`]) {
        const { code, body } = await ask(line);
        assert.equal(code, 500, line);
        assert.match(
          String(body['message']),
          /the stored object "\/registry\/configmaps\/default\/bad" cannot be read: /,
        );
      }
      assert.equal((await ask(`PUT ${MAPS}/bad`, { metadata: { name: 'bad' } })).code, 500);
      assert.equal((await ask(`POST ${MAPS}`, { metadata: { name: 'bad' } })).code, 409);
      assert.equal((await ask('GET /api/v1/namespaces/other/configmaps')).warnings.length, 0);
      assert.equal((await ask(`POST ${MAPS}`, { metadata: { name: 'c' } })).code, 201);
    });
  }
}
