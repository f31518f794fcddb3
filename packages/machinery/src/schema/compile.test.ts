import assert from 'node:assert/strict';
import test from 'node:test';
import { Compiler, copyOpaque } from './compile.ts';
import type { Walk } from './compile.ts';
import type { FieldSchema } from './table.ts';

function walk(owned = false): Walk {
  return { members: 0, depth: 0, unknown: false, owned, inexact: false };
}

const many: { [name: string]: FieldSchema } = Object.fromEntries(
  Array.from({ length: 45 }, (_, i) => [`f${i}`, { type: 'int32', omitEmpty: true as const }]),
);
const compiler = new Compiler({
  Many: { fields: { ...many, last: { type: 'string' } } },
  Tree: { fields: { children: { type: '[]#Tree', omitEmpty: true }, labels: { type: '{}string', omitEmpty: true } } },
});

test('a struct of more than thirty fields keeps their order', () => {
  const value = compiler.struct('Many')({ f44: 1, f30: 2, f29: 3, f0: 4 }, walk());
  assert.deepEqual(Object.entries(value as object), [
    ['f0', 4],
    ['f29', 3],
    ['f30', 2],
    ['f44', 1],
    ['last', ''],
  ]);
});

test('many different sets of fields still decode', () => {
  for (let i = 0; i < 200; i++) {
    const input = Object.fromEntries(Array.from({ length: 45 }, (_, bit) => [`f${bit}`, (i >> (bit % 8)) & 1]));
    const value = compiler.struct('Many')(input, walk()) as { [name: string]: number };
    for (const [name, bit] of Object.entries(input)) assert.equal(value[name] ?? 0, bit);
  }
});

test('structs may contain themselves', () => {
  const input = { children: [{ children: [{}] }, {}] };
  assert.deepEqual(compiler.struct('Tree')(input, walk()), input);
});

test('members and unknown fields are noted', () => {
  const state = walk();
  compiler.struct('Tree')({ labels: { a: '1', b: '2' }, other: { x: 1 } }, state);
  assert.deepEqual(state, { members: 4, depth: 0, unknown: true, owned: false, inexact: false });
});

test('an input of our own is taken over where it is as it should be', () => {
  const input = { labels: { a: '1' } };
  const own = compiler.struct('Tree')(input, walk(true)) as typeof input;
  assert.equal(own.labels, input.labels);
  const copy = compiler.struct('Tree')(input, walk()) as typeof input;
  assert.notEqual(copy.labels, input.labels);
  assert.deepEqual(copy, own);
});

test('a value without a schema is copied whole', () => {
  const input = JSON.parse('{"a":[{"b":null}],"__proto__":{"c":1}}') as object;
  const copy = copyOpaque(input, walk());
  assert.deepEqual(JSON.stringify(copy), JSON.stringify(input));
  assert.notEqual(copy, input);
});

test('a struct may have any number of fields', () => {
  const names = Array.from({ length: 150 }, (_, i) => `f${i}`);
  const fields: { [name: string]: FieldSchema } = Object.fromEntries(
    names.map((name) => [name, { type: 'int32', omitEmpty: true as const }]),
  );
  const wide = new Compiler({
    Wide: { fields: { ...fields, constructor: { type: 'string', pointer: true as const }, end: { type: 'string' } } },
  });
  const state = walk();
  const value = wide.struct('Wide')({ f149: 1, f61: 2, f0: 3, other: 4 }, state);
  assert.deepEqual(Object.entries(value as object), [
    ['f0', 3],
    ['f61', 2],
    ['f149', 1],
    ['constructor', null],
    ['end', ''],
  ]);
  assert.deepEqual([state.unknown, state.members], [true, 4]);
  assert.throws(() => wide.struct('Wide')([], walk()), { code: 'decode' });
});
