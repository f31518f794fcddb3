import type { KubeObject } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ServedResource } from '../catalogue/definition.ts';
import { PODS_PATH, podNamed, startTestServer } from '../testing/test-server.ts';
import { asDraft } from '../storage/draft.ts';
import { comparable, withSentEmpties } from './metadata.ts';

const keepsAll = (object: object): object => object;
const served = (generation: boolean, kept = keepsAll) =>
  ({ stored: { traits: { generation } }, kept }) as unknown as ServedResource;
const objectOf = (generation: number, rest: object) =>
  ({ kind: 'K', apiVersion: 'v1', metadata: { name: 'a', generation }, ...rest }) as unknown as KubeObject;

const before = objectOf(3, { spec: { a: 1 }, status: { b: 1 }, data: { c: 1 } });

const ROWS: readonly (readonly [name: string, isCounted: boolean, after: KubeObject, shared: readonly string[]])[] = [
  ['nothing but metadata changed', true, objectOf(3, { spec: { a: 1 }, data: { c: 1 } }), ['spec', 'data']],
  [
    'the status is not counted',
    true,
    objectOf(3, { spec: { a: 1 }, status: { b: 2 }, data: { c: 1 } }),
    ['spec', 'data'],
  ],
  ['something changed', true, objectOf(4, { spec: { a: 2 }, data: { c: 1 } }), []],
  ['nobody counts', false, objectOf(3, { spec: { a: 2 }, data: { c: 2 } }), []],
];

for (const [name, isCounted, after, shared] of ROWS) {
  test(`what an update is compared with: ${name}`, () => {
    const base = comparable(served(isCounted), after, before) as unknown as { [field: string]: unknown };
    const [was, is] = [before, after] as unknown as { [field: string]: unknown }[];
    for (const field of ['kind', 'apiVersion', 'metadata', 'spec', 'status', 'data']) {
      assert.equal(base[field], shared.includes(field) ? is?.[field] : was?.[field], field);
    }
  });
}

/** Of this kind `list` is what an empty one rests as. */
const forgetful = (object: object): object => {
  const { list } = object as { list?: unknown };
  return Array.isArray(list) && list.length === 0 ? { ...object, list: null } : object;
};

test("an empty list in the place of none is compared, as it is somebody's, and is no change", () => {
  const [was, is] = [objectOf(3, { list: null, spec: { a: 1 } }), objectOf(3, { list: [], spec: { a: 1 } })];
  const kind = served(true, forgetful);
  const base = comparable(kind, is, was) as unknown as { list: unknown; spec: unknown };
  assert.deepEqual([base.list, base.spec === (is as unknown as { spec: unknown }).spec], [null, true]);
  const old = withSentEmpties(kind, asDraft(is), was) as unknown as { list: unknown };
  assert.equal(old.list, (is as unknown as { list: unknown }).list);
  assert.equal(withSentEmpties(kind, asDraft(was), was), was);
  const other = objectOf(3, { list: ['x'], spec: { a: 1 } });
  assert.deepEqual(withSentEmpties(kind, asDraft(is), other), other, 'of a list that had items it is one');
});

test('who owns what after updates by several, of metadata alone and of the spec', async () => {
  const { ask } = await startTestServer();
  const path = `${PODS_PATH}/a`;
  const pod = podNamed('a') as unknown as { metadata: object; spec: object };
  await ask(`POST ${PODS_PATH}?fieldManager=maker`, pod);
  const labelled = { ...pod, metadata: { ...pod.metadata, labels: { x: 'y' } } };
  await ask(`PUT ${path}?fieldManager=labeller`, labelled);
  const changed = { ...labelled, spec: { ...pod.spec, activeDeadlineSeconds: 5 } };
  const { body } = await ask(`PUT ${path}?fieldManager=changer`, changed);
  const owned = (body.metadata.managedFields ?? []).map(({ manager, fieldsV1 }) => [manager, fieldsV1] as const);
  const of = new Map(owned) as Map<string, object>;
  assert.deepEqual([...of.keys()].sort(), ['changer', 'labeller', 'maker']);
  assert.deepEqual(of.get('labeller'), { 'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } } });
  assert.deepEqual(of.get('changer'), { 'f:spec': { 'f:activeDeadlineSeconds': {} } });
});
