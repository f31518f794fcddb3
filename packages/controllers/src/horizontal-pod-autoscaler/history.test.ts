import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { ScaleHistory } from './history.ts';

test('the past begins with the present number, and is bounded in time and in number', () => {
  const history = new ScaleHistory();
  history.begin('a', 3, 0);
  history.begin('a', 9, 5);
  assert.deepEqual(history.of('a').recommendations, [{ replicas: 3, atMs: 0 }]);
  for (let i = 1; i <= 5000; i++) history.recommend('a', { replicas: i, atMs: i });
  assert.equal(history.of('a').recommendations.length, 1000);
  history.recommend('a', { replicas: 1, atMs: 3_605_000 });
  assert.deepEqual(history.of('a').recommendations.at(0), { replicas: 5000, atMs: 5000 });
  history.changed('a', { by: 2, atMs: 0 });
  history.changed('a', { by: -1, atMs: 3_700_000 });
  assert.deepEqual(history.of('a').changes, [{ by: -1, atMs: 3_700_000 }]);
  history.forget('a');
  assert.deepEqual(history.of('a'), { recommendations: [], changes: [] });
});
