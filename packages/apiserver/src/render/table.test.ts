import type { KubeObject } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import type { Reply } from '../catalogue/definition.ts';
import { openPolicyWith } from '../testing/open-policy.ts';
import { negotiate } from '../request/media.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import { shortDuration } from './age.ts';
import { encodeBody } from '../encode/body.ts';
import { tableOf as asTable } from './table.ts';

interface Table {
  readonly kind: string;
  readonly metadata: { readonly resourceVersion: string };
  readonly columnDefinitions: readonly { readonly name: string }[] | null;
  readonly rows: readonly { readonly cells: unknown[]; readonly object: KubeObject | null }[];
}

async function tableOf(line: string, includeObject = ''): Promise<Table> {
  const { ask, answer, clock } = await startTestServer({
    policy: () =>
      openPolicyWith({
        pods: {
          columns: {
            columns: [{ name: 'Shout', type: 'string', description: 'The name, loud.', priority: 0 }],
            row: (object) => [(object.metadata.name ?? '').toUpperCase()],
          },
        },
      }),
  });
  await ask(`POST ${PODS_PATH}`, podNamed('a'));
  await ask('POST /apis/resource.k8s.io/v1/deviceclasses', { metadata: { name: 'm' }, spec: {} });
  await clock.advance(90_000);
  const { reply } = await answer(line);
  assert.ok(reply.kind !== 'watch' && reply.kind !== 'stream' && reply.kind !== 'upgrade');
  const rendering = negotiate('application/json;as=Table;v=v1;g=meta.k8s.io', false);
  const { pieces } = await encodeBody(reply, { rendering, includeObject, now: clock.now() });
  return JSON.parse([...pieces].map((piece) => new TextDecoder().decode(piece)).join('')) as Table;
}

test('NAME and AGE where a kind has nothing else to show', async () => {
  const table = await tableOf('GET /apis/resource.k8s.io/v1/deviceclasses');
  assert.deepEqual(
    table.columnDefinitions?.map(({ name }) => name),
    ['Name', 'Age'],
  );
  assert.deepEqual(table.rows[0]?.cells, ['m', '90s']);
  assert.equal(table.metadata.resourceVersion, '102');
});

test('the printer of the kind, for lists and for one object', async () => {
  assert.deepEqual((await tableOf(`GET ${PODS_PATH}`)).rows[0]?.cells, ['A']);
  const one = await tableOf(`GET ${PODS_PATH}/a`);
  assert.deepEqual([one.rows.length, one.rows[0]?.cells, one.metadata.resourceVersion], [1, ['A'], '101']);
});

const OBJECTS: readonly [includeObject: string, kind: string | undefined][] = [
  ['', 'PartialObjectMetadata'],
  ['Metadata', 'PartialObjectMetadata'],
  ['Object', 'Pod'],
  ['None', undefined],
];

for (const [includeObject, kind] of OBJECTS) {
  test(`includeObject=${includeObject}`, async () => {
    const { rows } = await tableOf(`GET ${PODS_PATH}`, includeObject);
    assert.equal(rows[0]?.object?.kind, kind);
  });
}

// Provenance: apimachinery's duration.HumanDuration.
const AGES: readonly [seconds: number, text: string][] = [
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [330, '5m30s'],
  [600, '10m'],
  [3 * 3600, '3h'],
  [3 * 3600 + 120, '3h2m'],
  [8 * 3600, '8h'],
  [47 * 3600, '47h'],
  [49 * 3600, '2d1h'],
  [9 * 86_400, '9d'],
  [800 * 86_400, '2y70d'],
  [3000 * 86_400, '8y'],
];

for (const [seconds, text] of AGES) test(`age ${text}`, () => assert.equal(shortDuration(seconds * 1000), text));

describe('a reply as rows for people', () => {
  const printed = { columns: [{ name: 'Own', type: 'string', description: 'd', priority: 1 }], row: () => ['x'] };
  const served = { info: { kind: 'Pod' }, columns: printed };
  const pod = {
    kind: 'Pod',
    metadata: { name: 'p', creationTimestamp: '1970-01-01T00:00:00Z' },
    spec: {},
  } as KubeObject;
  const status = { kind: 'Status', metadata: {} } as KubeObject;
  type Row = readonly [
    name: string,
    reply: object,
    objects: readonly KubeObject[],
    columns: readonly string[],
    cells: unknown[][],
  ];
  const rows: readonly Row[] = [
    ['a list', { kind: 'list', served }, [pod, pod], ['Own'], [['x'], ['x']]],
    ['an empty list has its columns', { kind: 'list', served }, [], ['Own'], []],
    [
      'a kind without columns',
      { kind: 'list', served: { ...served, columns: undefined } },
      [pod],
      ['Name', 'Age'],
      [['p', '90s']],
    ],
    ['an object of another kind', { kind: 'object', served }, [status], ['Name', 'Age'], [['', '<unknown>']]],
    ['an object of none', { kind: 'object' }, [pod], ['Name', 'Age'], [['p', '90s']]],
    ['an object with columns of its own', { kind: 'object', columns: printed }, [status], ['Own'], [['x']]],
    ['nothing of none', { kind: 'object' }, [], ['Name', 'Age'], []],
  ];
  for (const [name, reply, objects, columns, cells] of rows) {
    test(name, () => {
      const options = {
        objects,
        metadata: { resourceVersion: '7' },
        metaVersion: 'v1',
        includeObject: 'None',
        now: 90_000,
      };
      const made = asTable(reply as Exclude<Reply, { kind: 'watch' | 'text' }>, options) as Table;
      assert.deepEqual(
        made.columnDefinitions?.map((column) => column.name),
        columns,
      );
      assert.deepEqual(
        made.rows,
        cells.map((each) => ({ cells: each, object: null })),
      );
      assert.deepEqual(made.metadata, { resourceVersion: '7' });
    });
  }

  for (const [include, object] of [
    ['Object', pod],
    ['None', null],
    ['Metadata', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1beta1', metadata: pod.metadata }],
    ['', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1beta1', metadata: pod.metadata }],
  ] as const) {
    test(`its objects: ${include === '' ? 'nothing said' : include}`, () => {
      const options = { objects: [pod], metadata: {}, metaVersion: 'v1beta1', includeObject: include, now: 0 };
      const made = asTable({ kind: 'list', served } as never, options) as Table & { apiVersion: string };
      assert.deepEqual([made.apiVersion, made.rows[0]?.object], ['meta.k8s.io/v1beta1', object]);
    });
  }
});
