import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PodTemplateSpec } from '../generated/core-v1.ts';
import { podTemplateHash, safeEncode } from './pod-template-hash.ts';

const TEMPLATE = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
} as PodTemplateSpec;
const REORDERED = {
  spec: { containers: [{ image: 'i', name: 'c' }] },
  metadata: { labels: { a: 'b' } },
} as PodTemplateSpec;

describe('hash of a pod template', () => {
  it('does not depend on the order of keys', () => assert.equal(podTemplateHash(TEMPLATE), podTemplateHash(REORDERED)));

  it('is stable', () => assert.equal(podTemplateHash(TEMPLATE), podTemplateHash(structuredClone(TEMPLATE))));

  it('changes with the template and with the collision count', () => {
    const other = { ...TEMPLATE, spec: { containers: [{ name: 'c', image: 'j' }] } } as PodTemplateSpec;
    const hashes = [podTemplateHash(TEMPLATE), podTemplateHash(other), podTemplateHash(TEMPLATE, 1)];
    assert.equal(new Set(hashes).size, 3);
  });

  it('speaks the safe alphabet', () => {
    assert.match(podTemplateHash(TEMPLATE), /^[bcdfghjklmnpqrstvwxz24-9]{1,10}$/);
    assert.equal(safeEncode('0123456789').length, 10);
  });
});
