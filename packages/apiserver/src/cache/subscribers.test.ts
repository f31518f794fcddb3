import type { KubeObject } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { Entry } from './entry.ts';
import { cacheEvent } from './event.ts';
import { Subscribers } from './subscribers.ts';
import type { Subscriber } from './subscribers.ts';

const nodeOf = (object: KubeObject): string => (object as { node?: string }).node ?? '';

function entry(key: string, node: string): Entry {
  const codec = { decode: () => ({ metadata: {} }), adopt: () => ({ metadata: {} }) };
  return new Entry({ key, revision: 1, value: new Uint8Array(0) }, codec, { metadata: {}, node } as KubeObject);
}

const SCOPES: readonly [string, Subscriber['scope']][] = [
  ['all', {}],
  ['namespace a', { namespace: 'a' }],
  ['namespace b', { namespace: 'b' }],
  ['one object', { key: 'a/x' }],
  ['node n1', { indexed: 'n1' }],
  ['node n2', { indexed: 'n2' }],
];

const ROWS: readonly [string, Entry | undefined, Entry | undefined, string[]][] = [
  ['create', undefined, entry('a/x', 'n1'), ['all', 'one object', 'namespace a', 'node n1']],
  [
    'moves between nodes',
    entry('a/x', 'n1'),
    entry('a/x', 'n2'),
    ['all', 'one object', 'namespace a', 'node n1', 'node n2'],
  ],
  ['delete', entry('b/y', 'n2'), undefined, ['all', 'namespace b', 'node n2']],
  ['stays on its node', entry('b/y', 'n2'), entry('b/y', 'n2'), ['all', 'namespace b', 'node n2']],
];

for (const [name, before, after, told] of ROWS) {
  test(`dispatch: ${name}`, () => {
    const subscribers = new Subscribers(nodeOf);
    const heard: string[] = [];
    for (const [who, scope] of SCOPES) {
      subscribers.add({ scope, notify: () => heard.push(who), end: () => undefined });
    }
    subscribers.dispatch(cacheEvent(2, before, after));
    assert.deepEqual(heard, told);
  });
}

test('whoever left hears nothing; the others are ended together', () => {
  const subscribers = new Subscribers(undefined);
  let ended = 0;
  const one = { scope: { namespace: 'a' }, notify: () => assert.fail('it left'), end: () => ended++ };
  const leave = subscribers.add(one);
  subscribers.add({ scope: {}, notify: () => undefined, end: () => ended++ });
  leave();
  leave();
  assert.equal(subscribers.count, 1);
  subscribers.dispatch(cacheEvent(1, undefined, entry('a/x', '')));
  subscribers.endAll();
  assert.equal(ended, 1);
});
