import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { FreshObjects } from './fresh-objects.ts';

const at = (revision: number, uid = 'u'): KubeObject => ({
  metadata: { name: 'a', namespace: 'ns', uid, resourceVersion: String(revision) },
});

test('what was written is seen until the cache has it or something newer', () => {
  const cache = new Map<string, KubeObject>([['ns/a', at(1)]]);
  const fresh = new FreshObjects(cache);
  fresh.wrote(at(2));
  assert.equal(fresh.get('ns/a')?.metadata.resourceVersion, '2');
  cache.set('ns/a', at(3));
  assert.equal(fresh.get('ns/a')?.metadata.resourceVersion, '3');
  fresh.wrote(at(2));
  assert.equal(fresh.get('ns/a')?.metadata.resourceVersion, '3', 'the cache was told before we were');
});

test('an object that is gone does not come back', () => {
  const cache = new Map<string, KubeObject>();
  const fresh = new FreshObjects(cache);
  fresh.wrote(at(2));
  assert.equal(fresh.get('ns/a')?.metadata.resourceVersion, '2');
  fresh.see(at(1));
  assert.ok(fresh.get('ns/a'));
  fresh.forget('ns/a');
  assert.equal(fresh.get('ns/a'), undefined);
});
