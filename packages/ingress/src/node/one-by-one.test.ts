import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OneByOne } from './one-by-one.ts';

function connection() {
  return {
    destroyed: false,
    reads: true,
    pause() {
      this.reads = false;
    },
    resume() {
      this.reads = true;
    },
  };
}

test('a request begins when the one before it is answered', () => {
  const [lines, one, other] = [new OneByOne(), connection(), connection()];
  const begun: string[] = [];
  for (const name of ['a', 'b', 'c']) lines.enter(one, () => begun.push(name));
  lines.enter(other, () => begun.push('other'));
  assert.deepEqual(begun, ['a', 'other']);
  lines.leave(one);
  assert.deepEqual(begun, ['a', 'other', 'b']);
  lines.leave(one);
  lines.leave(one);
  lines.enter(one, () => begun.push('d'));
  assert.deepEqual(begun, ['a', 'other', 'b', 'c', 'd']);
});

test('a connection with many that wait is read on once few do', () => {
  const [lines, one] = [new OneByOne(), connection()];
  let begun = 0;
  for (let at = 0; at < 40; at++) lines.enter(one, () => begun++);
  assert.equal(one.reads, false);
  for (let at = 0; at < 23; at++) lines.leave(one);
  assert.equal(one.reads, false);
  lines.leave(one);
  assert.equal(one.reads, true);
  assert.equal(begun, 25);
});

test('nobody waits on a connection that is gone', () => {
  const [lines, one] = [new OneByOne(), connection()];
  let begun = 0;
  for (let at = 0; at < 3; at++) lines.enter(one, () => begun++);
  one.destroyed = true;
  lines.leave(one);
  assert.equal(begun, 1);
});
