import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isImageName, normalizeImageName, repositoryOf, taggedImageName } from './image-name.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

test('image names in full', () => {
  for (const [name, full] of [
    ['busybox', 'docker.io/library/busybox:latest'],
    ['busybox:1.35', 'docker.io/library/busybox:1.35'],
    ['me/tool', 'docker.io/me/tool:latest'],
    ['index.docker.io/busybox', 'docker.io/library/busybox:latest'],
    ['localhost/tool', 'localhost/tool:latest'],
    ['127.0.0.1:5000/tool', '127.0.0.1:5000/tool:latest'],
    ['registry.k8s.io/pause:3.9', 'registry.k8s.io/pause:3.9'],
    [`busybox@${DIGEST}`, `docker.io/library/busybox@${DIGEST}`],
    [`ghcr.io/a/b:1@${DIGEST}`, `ghcr.io/a/b:1@${DIGEST}`],
  ] as const) {
    assert.equal(normalizeImageName(name), full, name);
  }
});

test('repositories, and names with the tag that is meant', () => {
  for (const [name, repository, tagged] of [
    ['busybox', 'docker.io/library/busybox', 'busybox:latest'],
    ['me/tool:1', 'docker.io/me/tool', 'me/tool:1'],
    ['127.0.0.1:5000/tool', '127.0.0.1:5000/tool', '127.0.0.1:5000/tool:latest'],
    ['[::1]:5000/a/b:1', '[::1]:5000/a/b', '[::1]:5000/a/b:1'],
    [`ghcr.io/a/b:1@${DIGEST}`, 'ghcr.io/a/b', `ghcr.io/a/b:1@${DIGEST}`],
    [`ghcr.io/a/b@${DIGEST}`, 'ghcr.io/a/b', `ghcr.io/a/b@${DIGEST}`],
  ] as const) {
    assert.deepEqual([repositoryOf(name), taggedImageName(name)], [repository, tagged]);
  }
});

test('what can be the name of an image', () => {
  for (const [name, can] of [
    ['busybox', true],
    ['[::1]:5000/a/b:1', true],
    [`a@${DIGEST}`, true],
    ['', false],
    ['Tool', false],
    ['a b', false],
    ['a:', false],
    ['a//b', false],
    ['../a', false],
    ['a'.repeat(513), false],
  ] as const) {
    assert.equal(isImageName(name), can, name);
  }
});
