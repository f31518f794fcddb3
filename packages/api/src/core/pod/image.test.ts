import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultPullPolicy, imageTag } from './image.ts';

describe('image references', () => {
  const rows: [reference: string, tag: string, policy: string][] = [
    ['busybox', 'latest', 'Always'],
    ['busybox:latest', 'latest', 'Always'],
    ['busybox:1.36', '1.36', 'IfNotPresent'],
    ['registry:5000/busybox', 'latest', 'Always'],
    ['registry:5000/busybox:1', '1', 'IfNotPresent'],
    ['busybox@sha256:abc', '', 'IfNotPresent'],
    ['busybox:latest@sha256:abc', 'latest', 'Always'],
    ['', '', 'IfNotPresent'],
  ];
  for (const [reference, tag, policy] of rows) {
    it(reference === '' ? 'empty' : reference, () => {
      assert.equal(imageTag(reference), tag);
      assert.equal(defaultPullPolicy(reference), policy);
    });
  }
});
