import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionPlaces } from './connection-places.ts';

test('who has most loses the one that was quiet longest', () => {
  const places = new ConnectionPlaces<string>(3);
  assert.equal(places.enter('polite', 'a'), undefined);
  assert.equal(places.enter('b1', 'b'), undefined);
  assert.equal(places.enter('b2', 'b'), undefined);
  places.asked('b1');
  assert.equal(places.enter('b3', 'b'), 'b2');
  assert.equal(places.enter('c1', 'c'), 'b1');
  assert.deepEqual([...places.open], ['polite', 'b3', 'c1']);
});

test('of clients with as many each, the quietest goes', () => {
  const places = new ConnectionPlaces<string>(2);
  places.enter('a1', 'a');
  places.enter('b1', 'b');
  places.asked('a1');
  assert.equal(places.enter('c1', 'c'), 'b1');
});

test('what is closed has no place, also when its last question is answered later', () => {
  const places = new ConnectionPlaces<string>(1);
  places.enter('a1', 'a');
  places.leave('a1');
  places.asked('a1');
  assert.deepEqual([...places.open], []);
  assert.equal(places.enter('b1', 'b'), undefined);
  assert.equal(places.enter('b2', 'b'), 'b1');
  places.asked('b1');
  assert.deepEqual([...places.open], ['b2']);
});
