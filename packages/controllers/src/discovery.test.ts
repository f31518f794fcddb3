import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import type { RawReply, Wire } from '@binnacle/machinery';
import { discoverResources } from './discovery.ts';

/** A server that answers with these texts, by path. */
function serving(texts: { readonly [path: string]: string }): Wire {
  const raw = ({ path }: { readonly path: string }): Promise<RawReply> => {
    async function* body(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode(texts[path] ?? '{}');
    }
    return Promise.resolve({ status: 200, headers: {}, body: body() } as unknown as RawReply);
  };
  return { raw } as unknown as Wire;
}

const groups = (...versions: string[]): string =>
  JSON.stringify({ groups: versions.map((groupVersion) => ({ versions: [{ groupVersion }] })) });
const pods = { name: 'pods', kind: 'Pod', namespaced: true, verbs: ['list'] };
const core = JSON.stringify({ resources: [pods, { ...pods, name: 'pods/log' }] });

const NONSENSE: readonly [name: string, text: string][] = [
  ['no JSON', '{'],
  ['no object', 'null'],
  ['a list', '[]'],
  ['resources that are a text', '{"resources":"pods"}'],
  ['a resource that is null', '{"resources":[null]}'],
  ['a resource without a name', '{"resources":[{"kind":"Thing"}]}'],
  ['a name that is a number', '{"resources":[{"name":7,"kind":"Thing"}]}'],
  ['a kind that is a list', '{"resources":[{"name":"things","kind":[]}]}'],
  ['namespaced in words', '{"resources":[{"name":"things","kind":"Thing","namespaced":"yes"}]}'],
  ['verbs that are a text', '{"resources":[{"name":"things","kind":"Thing","verbs":"list"}]}'],
  ['a verb that is a number', '{"resources":[{"name":"things","kind":"Thing","verbs":[7]}]}'],
];
for (const [name, text] of NONSENSE) {
  test(`a group version that answers with ${name} is a failure of its own`, async () => {
    const wire = serving({ '/apis': groups('lie.io/v1'), '/api/v1': core, '/apis/lie.io/v1': text });
    const { resources, failures } = await discoverResources(wire);
    deepEqual(
      resources.map(({ resource }) => resource),
      ['pods'],
    );
    deepEqual(
      failures.map(({ groupVersion }) => groupVersion),
      ['lie.io/v1'],
    );
  });
}

test('a resource of several versions is told once, under the first; names of prototypes are names', async () => {
  const list = (verb: string): string =>
    JSON.stringify({ resources: [{ name: 'constructor', kind: '__proto__', verbs: [verb] }] });
  const wire = serving({
    '/apis': groups('a.io/v1', 'a.io/v2'),
    '/apis/a.io/v1': list('a'),
    '/apis/a.io/v2': list('b'),
  });
  const { resources } = await discoverResources(wire);
  deepEqual(resources, [
    { group: 'a.io', version: 'v1', resource: 'constructor', kind: '__proto__', namespaced: false, verbs: ['a'] },
  ]);
});
