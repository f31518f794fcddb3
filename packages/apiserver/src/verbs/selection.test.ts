import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { StatusError } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Entry } from '../cache/entry.ts';
import type { Selection } from '../cache/selection.ts';
import type { Call } from '../catalogue/definition.ts';
import { parseQuery } from '../request/query.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import { selectionOf } from './selection.ts';

const names = (body: { [field: string]: unknown }): string[] =>
  (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

const ROWS: readonly [selector: string, names: readonly string[]][] = [
  ['status.phase=Pending', ['a', 'b']],
  ['status.phase!=Pending', []],
  ['metadata.namespace=default,metadata.name=b', ['b']],
  ['spec.nodeName=n,metadata.name!=a', ['b']],
  ['spec.restartPolicy=Always,spec.nodeName=', ['a']],
];

for (const [selector, selected] of ROWS) {
  test(selector, async () => {
    const { ask } = await startTestServer();
    await ask(`POST ${PODS_PATH}`, podNamed('a'));
    await ask(`POST ${PODS_PATH}`, podNamed('b', { spec: { nodeName: 'n' } }));
    const { body } = await ask(`GET ${PODS_PATH}?fieldSelector=${encodeURIComponent(selector)}`);
    assert.deepEqual(names(body), selected);
  });
}

const REFUSED: readonly [query: string, message: RegExp][] = [
  ['fieldSelector=spec.foo%3Dx', /^field label not supported: spec\.foo$/],
  ['fieldSelector=nonsense', /invalid (field )?selector/],
  ['labelSelector=a%20in', /found|expected|unable to parse/],
];

for (const [query, message] of REFUSED) {
  test(`refused: ${query}`, async () => {
    const { ask } = await startTestServer();
    const { code, body } = await ask(`GET ${PODS_PATH}?${query}`);
    assert.equal(code, 400);
    assert.match(String(body['message']), message);
  });
}

test('both versions of events select by their own names', async () => {
  const { ask } = await startTestServer();
  const event = {
    metadata: { name: 'e', namespace: 'default' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
    reason: 'Started',
  };
  const made = await ask('POST /api/v1/namespaces/default/events', event);
  assert.equal(made.code, 201, JSON.stringify(made.body));
  const core = await ask('GET /api/v1/events?fieldSelector=involvedObject.name%3Dp');
  const group = await ask('GET /apis/events.k8s.io/v1/events?fieldSelector=regarding.name%3Dp');
  assert.deepEqual([core.code, group.code], [200, 200], JSON.stringify([core.body, group.body]));
  assert.deepEqual([names(core.body), names(group.body)], [['e'], ['e']]);
  const [shown] = group.body['items'] as { apiVersion: string; regarding: { name: string } }[];
  assert.deepEqual([shown?.apiVersion, shown?.regarding.name], ['events.k8s.io/v1', 'p']);
});

interface Asked {
  readonly query?: Readonly<Record<string, string>>;
  readonly namespace?: string;
  /** By the old path of a watch. */
  readonly name?: string;
  readonly served?: object;
}

function selected({ query = {}, namespace = 'a', name, served = {} }: Asked): Selection {
  const call = {
    info: { namespace, name: name ?? '', legacyWatch: name !== undefined },
    query: parseQuery(new URLSearchParams(query).toString()),
    served: {
      info: { namespaced: true },
      stored: { indexedField: 'spec.nodeName' },
      fields: { 'spec.nodeName': ({ metadata }: KubeObject) => metadata.labels?.['node'] ?? '' },
      selectsViews: false,
      view: ({ object }: Entry) => ({ ...object, metadata: { ...object.metadata, labels: { node: 'shown' } } }),
      ...served,
    },
  };
  return selectionOf(call as unknown as Call);
}

const CLUSTER = { info: { namespaced: false }, fields: undefined };

describe('what a call selects', () => {
  type Shape = readonly [namespace: string, key: string | undefined, indexed: string | undefined, narrowed: boolean];
  const rows: readonly (readonly [name: string, asked: Asked, shape: Shape])[] = [
    ['all of a namespace', {}, ['a', undefined, undefined, false]],
    ['all', { namespace: '' }, ['', undefined, undefined, false]],
    ['by labels', { query: { labelSelector: 'x=y' } }, ['a', undefined, undefined, true]],
    [
      'an empty selector selects all',
      { query: { labelSelector: '', fieldSelector: '' } },
      ['a', undefined, undefined, false],
    ],
    ['one object', { query: { fieldSelector: 'metadata.name=p' } }, ['a', 'a/p', undefined, true]],
    [
      'a name in all namespaces',
      { namespace: '', query: { fieldSelector: 'metadata.name=p' } },
      ['', undefined, undefined, true],
    ],
    ['all but one name', { query: { fieldSelector: 'metadata.name!=p' } }, ['a', undefined, undefined, true]],
    ['by what the cache is indexed by', { query: { fieldSelector: 'spec.nodeName=n' } }, ['a', undefined, 'n', true]],
    ['by all but one value of it', { query: { fieldSelector: 'spec.nodeName!=n' } }, ['a', undefined, undefined, true]],
    ['what is in no namespace', { served: CLUSTER }, ['', undefined, undefined, false]],
    [
      'one of what is in none',
      { query: { fieldSelector: 'metadata.name=p' }, served: CLUSTER },
      ['', 'p', undefined, true],
    ],
    ['the old path of one object', { name: 'p' }, ['a', 'a/p', undefined, true]],
    [
      'the old path, and its name',
      { name: 'p', query: { fieldSelector: 'metadata.name=p' } },
      ['a', 'a/p', undefined, true],
    ],
    ['the old path of all', { name: '' }, ['a', undefined, undefined, false]],
  ];
  for (const [name, asked, shape] of rows) {
    test(name, () => {
      const { namespace, key, indexed, narrowed } = selected(asked);
      assert.deepEqual([namespace, key, indexed, narrowed], shape);
    });
  }
});

describe('what nothing can be selected by', () => {
  const known = 'is not a known field selector: only "metadata.name", "metadata.namespace"';
  const path = "fieldSelector metadata.name doesn't match requested name";
  const rows: readonly (readonly [name: string, asked: Asked, message: string | RegExp])[] = [
    ['a field of no object', { query: { fieldSelector: 'spec.x=1' } }, 'field label not supported: spec.x'],
    [
      'a member of every object',
      { query: { fieldSelector: 'constructor=1' } },
      'field label not supported: constructor',
    ],
    ['a field of a kind that has none', { query: { fieldSelector: 'spec.x=1' }, served: CLUSTER }, `"spec.x" ${known}`],
    ['one that nobody can read', { query: { fieldSelector: 'a' } }, /^invalid selector: 'a'; can't understand 'a'$/],
    ['labels that nobody can read', { query: { labelSelector: 'a in' } }, /^unable to parse|found/],
    ['another name than the old path', { name: 'p', query: { fieldSelector: 'metadata.name=q' } }, path],
    ['something else on the old path', { name: 'p', query: { fieldSelector: 'spec.nodeName=n' } }, path],
  ];
  for (const [name, asked, message] of rows) {
    test(name, () => {
      assert.throws(
        () => selected(asked),
        (error) => {
          assert(error instanceof StatusError);
          assert.equal(error.status.code, 400);
          if (typeof message === 'string') assert.equal(error.message, message);
          else assert.match(error.message, message);
          return true;
        },
      );
    });
  }
});

describe('whether an object is selected', () => {
  const entry = {
    namespace: 'a',
    name: 'p',
    object: { metadata: { labels: { node: 'n', app: 'web' } } },
  } as unknown as Entry;
  const rows: readonly (readonly [query: Readonly<Record<string, string>>, matches: boolean])[] = [
    [{}, true],
    [{ labelSelector: 'app=web' }, true],
    [{ labelSelector: '!app' }, false],
    [{ fieldSelector: 'metadata.name=p,metadata.namespace=a' }, true],
    [{ fieldSelector: 'metadata.namespace=b' }, false],
    [{ fieldSelector: 'spec.nodeName=n', labelSelector: 'app' }, true],
    [{ fieldSelector: 'spec.nodeName!=n', labelSelector: 'app' }, false],
    [{ fieldSelector: 'spec.nodeName=n', labelSelector: 'other' }, false],
  ];
  for (const [query, matches] of rows) {
    test(JSON.stringify(query), () => assert.equal(selected({ query }).matches(entry), matches));
  }

  test('a kind that is converted is asked once that is done', () => {
    const by = (value: string): Selection =>
      selected({ query: { fieldSelector: `spec.nodeName=${value}` }, served: { selectsViews: true } });
    assert.deepEqual([by('shown').matches(entry), by('shown').shown?.(entry)], [true, true]);
    assert.deepEqual([by('n').matches(entry), by('n').shown?.(entry)], [true, false]);
    assert.equal(selected({ served: { selectsViews: true } }).shown, undefined);
  });
});
