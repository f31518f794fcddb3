import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce, walkInPieces } from './pieces.ts';
import type { Walk } from './pieces.ts';

interface Tree {
  readonly name: string;
  readonly below?: readonly Tree[];
}

function* walk({ name, below = [] }: Tree, seen: string[]): Walk {
  seen.push(name);
  for (const one of below) yield walk(one, seen);
  seen.push(`/${name}`);
}

function restsOf(pieces: Generator<void, unknown>): number {
  let rests = 0;
  while (pieces.next().done !== true) rests++;
  return rests;
}

test('a walk goes where calls would go', () => {
  const seen: string[] = [];
  atOnce(walkInPieces(walk({ name: 'a', below: [{ name: 'b', below: [{ name: 'c' }] }, { name: 'd' }] }, seen)));
  assert.deepEqual(seen, ['a', 'b', 'c', '/c', '/b', 'd', '/d', '/a']);
});

test('a wide walk rests after so many steps, whatever it finds', () => {
  const seen: string[] = [];
  const pieces = walkInPieces(walk({ name: 'a', below: Array.from({ length: 10_000 }, () => ({ name: 'b' })) }, seen));
  for (let before = 0; pieces.next().done !== true; before = seen.length) {
    assert.ok(seen.length - before <= 260, `${seen.length - before} in a piece`);
  }
  assert.equal(seen.length, 20_002);
});

test('a walk may be deeper than calls go', () => {
  let tree: Tree = { name: 'leaf' };
  for (let depth = 0; depth < 100_000; depth++) tree = { name: 'a', below: [tree] };
  const seen: string[] = [];
  assert.ok(restsOf(walkInPieces(walk(tree, seen))) > 1000);
  assert.equal(seen.length, 200_002);
});

test('a walk rests where it says so', () => {
  function* twice(): Walk {
    yield undefined;
    yield undefined;
  }
  assert.equal(restsOf(walkInPieces(twice())), 2);
});

test('what a walk throws comes out of it', () => {
  function* wrong(): Walk {
    yield walk({ name: 'a' }, []);
    throw new RangeError('wrong');
  }
  assert.throws(() => atOnce(walkInPieces(wrong())), RangeError);
});
