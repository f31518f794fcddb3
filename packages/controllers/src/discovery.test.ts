import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { RawReply, Wire } from '@binnacle/machinery';
import { discoverResources } from './discovery.ts';

/** A server that answers with these texts, by path; `asked` is what it was asked for. */
function serving(texts: { readonly [path: string]: string }, asked: string[] = []): Wire {
  const raw = ({ path }: { readonly path: string }): Promise<RawReply> => {
    asked.push(path);
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

/** What a resource of the aggregated form says. */
const thing = { resource: 'things', responseKind: { kind: 'Thing' }, scope: 'Cluster', verbs: ['get'] };
const aggregated = (...items: object[]): string => JSON.stringify({ kind: 'APIGroupDiscoveryList', items });
const group = (name: string, ...versions: object[]): object => ({ metadata: { name }, versions });
const aggregatedPods = aggregated({
  metadata: {},
  versions: [
    {
      version: 'v1',
      resources: [
        {
          resource: 'pods',
          responseKind: { group: '', version: 'v1', kind: 'Pod' },
          scope: 'Namespaced',
          verbs: ['list'],
          subresources: [{ subresource: 'log', verbs: ['get'] }],
        },
      ],
      freshness: 'Current',
    },
  ],
});

test('a server that knows the aggregated form is asked twice, whatever it serves', async () => {
  const asked: string[] = [];
  const groupsOf = Array.from({ length: 50 }, (_, i) => group(`g${i}.io`, { version: 'v1', resources: [thing] }));
  const wire = serving({ '/api': aggregatedPods, '/apis': aggregated(...groupsOf) }, asked);
  const { resources, failures } = await discoverResources(wire);
  deepEqual(asked, ['/api', '/apis']);
  deepEqual(failures, []);
  equal(resources.length, 51);
  deepEqual(resources.slice(0, 2), [
    { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true, verbs: ['list'] },
    { group: 'g0.io', version: 'v1', resource: 'things', kind: 'Thing', namespaced: false, verbs: ['get'] },
  ]);
});

test('a group version whose server does not answer is a failure, and what was known of it is not told', async () => {
  const wire = serving({
    '/api': aggregatedPods,
    '/apis': aggregated(
      group('old.io', { version: 'v1', resources: [thing], freshness: 'Stale' }),
      group('a.io', { version: 'v2', resources: [thing] }, { version: 'v1', resources: [thing] }),
    ),
  });
  const { resources, failures } = await discoverResources(wire);
  deepEqual(
    resources.map((one) => `${one.group}/${one.version}/${one.resource}`),
    ['/v1/pods', 'a.io/v2/things'],
  );
  deepEqual(
    failures.map(({ groupVersion }) => groupVersion),
    ['old.io/v1'],
  );
});

for (const [name, resources] of [
  ['that are a text', 'things'],
  ['of which one is null', [null]],
  ['without a kind', [{ ...thing, responseKind: null }]],
  ['without a scope', [{ ...thing, scope: 'Everywhere' }]],
  ['whose name is a number', [{ ...thing, resource: 7 }]],
  ['whose verbs are a text', [{ ...thing, verbs: 'list' }]],
] as const) {
  test(`resources ${name} in the aggregated form spoil their own group version alone`, async () => {
    const lie = group('lie.io', { version: 'v1', resources }, { version: 'v2', resources: [thing] });
    const { resources: found, failures } = await discoverResources(
      serving({ '/api': aggregatedPods, '/apis': aggregated(lie) }),
    );
    deepEqual(
      found.map((one) => `${one.group}/${one.version}`),
      ['/v1', 'lie.io/v2'],
    );
    deepEqual(
      failures.map(({ groupVersion }) => groupVersion),
      ['lie.io/v1'],
    );
  });
}
