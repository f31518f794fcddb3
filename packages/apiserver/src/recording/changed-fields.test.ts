import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangedFields, ChangeWatch } from './changed-fields.ts';

const pod = () => ({
  metadata: { name: 'p' } as Record<string, unknown>,
  spec: { containers: [{ name: 'c', volumeMounts: [] as object[] }], priority: undefined as number | undefined },
});

const ROWS: readonly [name: string, change: (object: ReturnType<typeof pod>) => void, fields: string[]][] = [
  ['nothing', () => undefined, []],
  ['a member of the spec', (o) => void (o.spec.priority = 5), ['spec.priority']],
  ['a new member of metadata', (o) => void (o.metadata['annotations'] = { a: '1' }), ['metadata.annotations']],
  ['a member that goes', (o) => void delete o.metadata['name'], ['metadata.name']],
  [
    'a member of a container',
    (o) => o.spec.containers.forEach((c) => (c.volumeMounts = [{ name: 'v' }])),
    ['spec.containers[0].volumeMounts'],
  ],
  ['a member with an endless name', (o) => void (o.metadata['x'.repeat(1000)] = 'y'), []],
  ['a member by an evil name', (o) => void (o.metadata['constructor'] = 'x'), ['metadata.constructor']],
];

for (const [name, change, fields] of ROWS) {
  test(`the fields that a change makes others: ${name}`, () => {
    const object = pod();
    const watched = new ChangedFields(object);
    change(object);
    assert.deepEqual(watched.since(object), fields);
    assert.deepEqual(watched.since(object), [], 'what was told is not told again');
  });
}

test('an object of many members is looked at in part, and names sixteen at the most', () => {
  const data: Record<string, string> = {};
  for (let i = 0; i < 100_000; i++) data[`k${i}`] = 'v';
  const object = { spec: data };
  const watched = new ChangedFields(object);
  for (let i = 0; i < 20; i++) data[`k${i}`] = 'w';
  assert.equal(watched.since(object).length, 16);
});

test('what a plugin says that it may change is what is looked at', () => {
  const watch = new ChangeWatch('Priority', ['spec.priority', 'metadata.labels', 'status.phase']);
  const object = pod();
  const look = watch.lookAt(object);
  assert.deepEqual(watch.changed(look, object), []);
  object.spec.priority = 7;
  object.metadata['name'] = 'other';
  assert.deepEqual(watch.changed(look, object), ['spec.priority']);
});

test('a plugin that may change anything is looked at whole', () => {
  const watch = new ChangeWatch('Webhook', 'anything');
  const object = pod();
  const look = watch.lookAt(object);
  object.metadata['labels'] = { a: '1' };
  assert.deepEqual(watch.changed(look, object), ['metadata.labels']);
});
