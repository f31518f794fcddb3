import type { KubeObject } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { openPolicyWith } from '../testing/open-policy.ts';
import { negotiate } from '../request/media.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';
import { shortDuration } from './age.ts';
import { encodeBody } from '../encode/body.ts';

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
