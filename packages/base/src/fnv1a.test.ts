import { equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { fnv1a } from './fnv1a.ts';

void test('published vectors come out', () => {
  equal(fnv1a(''), 0x811c9dc5);
  equal(fnv1a('a'), 0xe40c292c);
  equal(fnv1a('foobar'), 0xbf9cf968);
});

void test('another seed makes another hash', () => {
  notEqual(fnv1a('a', 0x9747b28c), fnv1a('a'));
});
