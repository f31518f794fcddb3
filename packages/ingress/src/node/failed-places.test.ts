import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Place } from '../ports.ts';
import { FailedPlaces } from './failed-places.ts';

const place = (name: string, address = name): Place => ({
  address,
  port: 80,
  nodeName: 'n',
  pod: { namespace: 'ns', name },
});
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => place(name)) as [Place, Place, Place, Place];

function start() {
  let now = 1000;
  const failed = new FailedPlaces(() => now);
  const order = (...places: readonly Place[]): string =>
    failed
      .order(places, 3)
      .map(({ pod }) => pod?.name)
      .join('');
  return { failed, order, later: (milliseconds: number) => (now += milliseconds) };
}

test('who could not be reached comes last for ten seconds; then one request finds out for all', () => {
  const { failed, order, later } = start();
  failed.failed(a);
  assert.equal(order(a, b, c), 'bca');
  assert.equal(order(a, b, c, d), 'bcd', 'as many as are tried');
  assert.equal(order(a), 'a', 'where nobody else is');
  failed.failed(b);
  assert.equal(order(a, b), 'ab', 'in their order, where all failed');
  later(9_999);
  assert.equal(order(a, b, c), 'cab');
  later(1);
  assert.equal(order(a, b, c), 'abc');
  assert.equal(order(a, b, c), 'bca', 'the others wait for what that one finds');
  assert.equal(order(c, a, b), 'cab');
  later(10_000);
  assert.equal(order(c, a, b), 'cab', 'whoever comes first by turn');
  assert.equal(order(a, c), 'ac');
});

test('who was reached is as good as others, and so is the next pod of an address', () => {
  const { failed, order } = start();
  failed.failed(a);
  failed.reached(a);
  assert.equal(order(a, b), 'ab');
  failed.failed(a);
  assert.equal(order(place('x', 'a'), b), 'xb');
});

test('however many fail, so many are remembered', () => {
  const { failed, order } = start();
  failed.failed(a);
  for (let at = 0; at < 1000; at++) failed.failed(place(`p${at}`));
  assert.equal(order(a, b), 'ab');
  assert.equal(order(place('p0'), b), 'bp0');
});
