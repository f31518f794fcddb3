import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Members } from './members.ts';

function linesOf(members: Members): string[] {
  const lines = { removed: [] as string[], added: [] as string[] };
  members.take('t', lines);
  return [...lines.removed, ...lines.added];
}

test('an element is there as long as one asks for it, and is told once', () => {
  const members = new Members('s');
  members.ask('a');
  members.ask('a');
  members.ask('b');
  assert.deepEqual(linesOf(members), ['add element t s { a, b }']);
  members.giveUp('a');
  assert.deepEqual(linesOf(members), []);
  members.giveUp('a');
  assert.deepEqual(linesOf(members), ['delete element t s { a }']);
});

test('given up and asked for again is no change', () => {
  const members = new Members('s');
  members.ask('a');
  linesOf(members);
  members.giveUp('a');
  members.ask('a');
  assert.deepEqual(linesOf(members), []);
});
