import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { shareParts } from './share-parts.ts';

type Parts = { [part: string]: unknown };

const before = (): Parts => ({
  metadata: { name: 'a', labels: { app: 'x' }, annotations: { n: '1' }, resourceVersion: '5' },
  spec: { containers: [{ name: 'c', image: 'i' }], nodeSelector: { a: 'b' }, priority: 0 },
  data: { k: 'v' },
});

interface ShareRow {
  readonly name: string;
  readonly change: (object: Parts) => void;
  /** What is one and the same thing in both afterwards. */
  readonly same: readonly string[];
  readonly other: readonly string[];
}

const member = (value: unknown, name: string): unknown => (value as Parts)[name];
const at = (object: Parts, place: string): unknown => place.split('.').reduce<unknown>(member, object);

const ROWS: readonly ShareRow[] = [
  {
    name: 'nothing',
    change: () => undefined,
    same: ['metadata.labels', 'metadata.annotations', 'spec', 'data'],
    other: ['metadata'],
  },
  {
    name: 'a member of the spec',
    change: (o) => void ((o['spec'] as Parts)['priority'] = 7),
    same: ['spec.containers', 'spec.nodeSelector', 'data'],
    other: ['spec'],
  },
  {
    name: 'an annotation',
    change: (o) => void ((o['metadata'] as Parts)['annotations'] = { n: '2' }),
    same: ['metadata.labels', 'spec'],
    other: ['metadata', 'metadata.annotations'],
  },
  {
    name: 'a member more, and one less',
    change: (o) => void ((o['spec'] = { containers: [{ name: 'c', image: 'i' }], extra: 1 }), delete o['data']),
    same: ['spec.containers'],
    other: ['spec', 'data'],
  },
  {
    name: 'one less and no other',
    change: (o) => void delete (o['spec'] as Parts)['priority'],
    same: ['spec.containers'],
    other: ['spec'],
  },
  {
    name: 'a list in the place of a map',
    change: (o) => void (o['data'] = [['k', 'v']]),
    same: ['spec'],
    other: ['data'],
  },
  {
    name: 'an undefined member',
    change: (o) => void ((o['spec'] as Parts)['extra'] = undefined),
    same: ['spec.containers'],
    other: [],
  },
  {
    name: 'names of a prototype',
    change: (o) => void ((o['data'] as Parts)['constructor'] = {}),
    same: ['spec'],
    other: ['data'],
  },
];

for (const { name, change, same, other } of ROWS) {
  test(`what stayed is shared, and nothing else changes: ${name}`, () => {
    const old = before();
    const object = structuredClone(old);
    change(object);
    const wanted = structuredClone(object);
    const parts = Object.values(object);
    const copies = structuredClone(parts);
    shareParts(object as unknown as KubeObject, old as unknown as KubeObject);
    assert.deepEqual(JSON.parse(JSON.stringify(object)), JSON.parse(JSON.stringify(wanted)));
    assert.deepEqual(parts, copies, 'what the object was made of is not written into');
    assert.deepEqual(old, before());
    for (const place of same) assert.equal(at(object, place), at(old, place), place);
    for (const place of other) assert.notEqual(at(object, place), at(old, place), place);
  });
}
