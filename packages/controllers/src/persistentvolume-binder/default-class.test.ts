import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { StorageClass } from '@binnacle/api/storage/v1';
import { defaultStorageClass } from './default-class.ts';

const storage = (name: string, creationTimestamp: string, mark?: string): StorageClass => ({
  metadata: {
    name,
    creationTimestamp,
    annotations: mark === undefined ? {} : { 'storageclass.kubernetes.io/is-default-class': mark },
  },
  provisioner: 'p',
});

for (const [name, classes, expected] of [
  ['none', [], undefined],
  ['none is marked', [storage('a', '1'), storage('b', '1', 'false')], undefined],
  ['the newest', [storage('a', '1', 'true'), storage('b', '2', 'true')], 'b'],
  ['of one age the first by name', [storage('b', '1', 'true'), storage('a', '1', 'true')], 'a'],
] as const) {
  test(`the default class: ${name}`, () => assert.equal(defaultStorageClass(classes)?.metadata.name, expected));
}
