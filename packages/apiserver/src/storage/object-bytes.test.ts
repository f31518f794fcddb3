import type { KubeObject } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { Entry } from '../cache/entry.ts';
import { asDraft } from './draft.ts';
import { ObjectBytes, withRevision } from './object-bytes.ts';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const POD: KubeObject = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'ä' } };
const codec = { decode: () => POD, adopt: () => POD };
const pods = new ObjectBytes('v1', 'Pod');
const WRAP = { before: '<', after: '>\n' };

function stored(value: Uint8Array): Entry {
  return new Entry({ key: 'n/ä', revision: 41, value }, codec);
}

test('what is stored has no resourceVersion; it is spliced in on the way out', () => {
  const value = pods.encode(asDraft({ ...POD, metadata: { name: 'ä' }, spec: { x: 1 } } as KubeObject));
  assert.equal(text(value), '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"ä"},"spec":{"x":1}}');
  const entry = stored(value);
  assert.equal(
    text(pods.served(entry, 42, WRAP)),
    '<{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"42","name":"ä"},"spec":{"x":1}}>\n',
  );
  assert.equal(text(pods.item(entry, WRAP)), '<{"metadata":{"resourceVersion":"41","name":"ä"},"spec":{"x":1}}>\n');
});

for (const first of ['kind', 'apiVersion', 'metadata'] as const) {
  test(`an object is made a text once, also where it begins with its ${first}`, () => {
    let made = 0;
    const spec = { toJSON: () => ({ x: ++made }) };
    const draft = asDraft({ [first]: POD[first], ...POD, spec } as unknown as KubeObject);
    assert.equal(text(pods.encode(draft)), '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"ä"},"spec":{"x":1}}');
    assert.equal(made, 1);
  });
}

test('bytes that somebody else wrote in another order are encoded anew', () => {
  const foreign = stored(new TextEncoder().encode('{"apiVersion":"v1","kind":"Pod","metadata":{"name":"ä"}}'));
  assert.deepEqual(JSON.parse(text(pods.served(foreign, 42, { before: '', after: '' }))), withRevision(POD, 42));
  assert.deepEqual(JSON.parse(text(pods.item(foreign, { before: '', after: '' }))), {
    metadata: { name: 'ä', resourceVersion: '41' },
  });
});

test('replies go into the memory they are given', () => {
  const slab = new Uint8Array(4096);
  const value = pods.encode(asDraft(POD));
  const out = pods.served(stored(value), 7, { ...WRAP, allocate: (size) => slab.subarray(0, size) });
  assert.equal(out.buffer, slab.buffer);
  assert.equal(text(out), '<{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"7","name":"ä"}}>\n');
});
