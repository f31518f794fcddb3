import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImageShelf } from './image-shelf.ts';

const DIGEST = `sha256:${'b'.repeat(64)}`;

test('every name is there, under its full name, with an id of its own', () => {
  const shelf = new ImageShelf();
  const found = shelf.find('busybox', false);
  assert.deepEqual(found?.tags, ['docker.io/library/busybox:latest']);
  assert.match(found?.digests[0] ?? '', /^docker\.io\/library\/busybox@sha256:[0-9a-f]{64}$/);
  assert.equal(shelf.find('docker.io/library/busybox:latest', false), found);
  assert.equal(shelf.find(found?.id ?? '', false), found);
  assert.notEqual(shelf.find('busybox:1', false)?.id, found?.id);
  assert.deepEqual(shelf.find(`a.b/c@${DIGEST}`, false)?.digests, [`a.b/c@${DIGEST}`]);
});

test('not when a script says so, until it is pulled', () => {
  const shelf = new ImageShelf();
  assert.equal(shelf.find('tool', true), undefined);
  assert.equal(shelf.find(DIGEST, false), undefined);
  const pulled = shelf.add('tool');
  assert.equal(shelf.find('tool', true), pulled);
});

test('what was removed is gone until it is pulled', () => {
  const shelf = new ImageShelf();
  const id = shelf.find('tool', false)?.id ?? '';
  shelf.remove(id);
  assert.equal(shelf.find('tool', false), undefined);
  assert.deepEqual(shelf.list(), []);
  shelf.remove('other');
  assert.equal(shelf.find('other', false), undefined);
  assert.equal(shelf.add('tool').id, id);
});
