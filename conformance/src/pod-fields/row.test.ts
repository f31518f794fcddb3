import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemas } from '@binnacle/api';
import { allFields, composePod, fieldsOf } from './row.ts';

test('pieces of one pod are put together; two that want different things are an error', () => {
  const rows = [
    { pod: 'a', container: { env: [{ name: 'A', value: '1' }] } },
    { pod: 'a', container: { env: [{ name: 'B', value: '2' }], tty: true }, spec: { hostname: 'h' } },
    { pod: 'a', in: 'other', container: { image: 'x' } },
  ];
  assert.deepEqual(composePod(rows), {
    containers: [
      {
        name: 'main',
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
        tty: true,
      },
      { name: 'other', image: 'x' },
    ],
    hostname: 'h',
  });
  assert.throws(() => composePod([...rows, { pod: 'a', spec: { hostname: 'i' } }]), RangeError);
});

test('fields of a piece, and all that there are', () => {
  const piece = { containers: [{ name: 'c', env: [{ name: 'A', value: '1' }] }] };
  const names = ['PodSpec.containers', 'Container.name', 'Container.env', 'EnvVar.name', 'EnvVar.value'];
  assert.deepEqual([...fieldsOf(schemas.table, 'core.v1.PodSpec', piece)], names);
  const all = allFields(schemas.table, 'core.v1.PodSpec', (field) => field === 'PodSpec.affinity');
  for (const name of names) assert.ok(all.has(name));
  assert.deepEqual([all.has('PodSpec.affinity'), all.has('Affinity.nodeAffinity')], [true, false]);
});
