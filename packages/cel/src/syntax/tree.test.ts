import assert from 'node:assert/strict';
import { test } from 'node:test';
import { literalMistake } from '../check/literals.ts';
import { CompileError } from '../errors.ts';
import { KUBERNETES_MACROS } from './macros.ts';
import { parse, pathOf } from './parse.ts';
import { readString } from './strings.ts';
import { childrenOf } from './tree.ts';
import type { CallNode, Node } from './tree.ts';

const read = (source: string): Node => parse(source, KUBERNETES_MACROS);

for (const [source, path] of [
  ['a', 'a'],
  ['a.b.c', 'a.b.c'],
  ['.a.b', '.a.b'],
  ['a.constructor', 'a.constructor'],
  ['a[0].b', undefined],
  ['a().b', undefined],
  ['has(a.b)', undefined],
  ["'a'.b", undefined],
  ['1', undefined],
] as const)
  test(`the path of ${source}`, () => assert.equal(pathOf(read(source)), path));

const kinds = (source: string): string =>
  childrenOf(read(source))
    .map(({ kind }) => kind)
    .join(' ');
for (const [name, source, below] of [
  ['a literal', '1', ''],
  ['a name', 'a', ''],
  ['a member', 'a.b', 'name'],
  ['a call', 'f(a, 1)', 'name literal'],
  ['a call on something', 'a.f([1], 1)', 'name list literal'],
  ['a list', '[1, a, [2]]', 'literal name list'],
  ['a map: each key with its value', "{'a': b, c: 1}", 'literal name name literal'],
  ['an object: values alone', 'T{a: 1, b: c}', 'literal name'],
  ['an object of nothing', 'T{}', ''],
  ['a fold', '[1].all(x, x > 0)', 'list literal call call name'],
] as const)
  test(`right below ${name}`, () => assert.equal(kinds(source), below));

test('every node lies deeper than what is below it', () => {
  const rest = [read("a.b[{'c': [T{d: f(1)}]}].exists(x, x.y == 'z') ? 1 : -2")];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    for (const child of childrenOf(node)) assert.ok(child.depth < node.depth, `${child.kind} in ${node.kind}`);
    rest.push(...childrenOf(node));
  }
});

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);
const STRINGS: readonly [source: string, value: string | Uint8Array, length?: number][] = [
  [`'a'`, 'a'],
  [`"it's"`, "it's"],
  [`'a' + 'b'`, 'a', 3],
  [`''`, ''],
  [`''''a'b'''`, `'a'b`],
  ['"""a\nb"""', 'a\nb'],
  ['"""a\r\nb\rc"""', 'a\nb\nc'],
  ['""""""', ''],
  [String.raw`'\a\b\f\n\r\t\v\\\'\"\?' + 1`, '\x07\b\f\n\r\t\v\\\'"?', 24],
  [String.raw`'\x41\X42\u0043\U00000044\105'`, 'ABCDE'],
  [String.raw`'\U0001F600'`, '\u{1F600}'],
  [String.raw`r'\n\x'`, String.raw`\n\x`],
  [String.raw`R"\"`, '\\'],
  [`b'é'`, bytes(0xc3, 0xa9)],
  [String.raw`b'\xff\377'`, bytes(255, 255)],
  [String.raw`rb'\xff'`, bytes(92, 120, 102, 102)],
  [String.raw`Br'\a'`, bytes(92, 97)],
];
for (const [source, value, length = source.length] of STRINGS)
  test(`a text as it is written: ${JSON.stringify(source)}`, () =>
    assert.deepEqual(readString(source, 0), { value, end: length }));

for (const source of ['a', 'rr"a"', 'bb"a"', '1', '', 'x"a"'])
  test(`no text begins with ${JSON.stringify(source)}`, () => assert.equal(readString(source, 0), undefined));
test('a text in the middle of a source', () => assert.deepEqual(readString("a == 'b'", 5), { value: 'b', end: 8 }));

for (const [source, message] of [
  [`'a`, `token recognition error at: ''a'`],
  [`'a"`, `token recognition error at: ''a"'`],
  [`'''a''`, `token recognition error at: ''''a'''`],
  [`'\\'`, `token recognition error at: ''\\''`],
  [String.raw`'\q'`, 'invalid escape sequence'],
  [String.raw`'\x4'`, 'invalid escape sequence'],
  [String.raw`'\u12g4'`, 'invalid escape sequence'],
  [String.raw`'\400'`, 'invalid escape sequence'],
  [String.raw`'\18'`, 'invalid escape sequence'],
  [String.raw`'\ud800'`, 'invalid escape sequence'],
  [String.raw`'\U00110000'`, 'invalid escape sequence'],
  [String.raw`b'\u0041'`, 'invalid escape sequence'],
] as const)
  test(`no text: ${JSON.stringify(source)}`, () =>
    assert.throws(
      () => readString(source, 0),
      (error: Error) => error instanceof CompileError && error.message.includes(`Syntax error: ${message}`),
    ));
test('a line ends a text of one quote', () => assert.throws(() => readString("'a\nb'", 0), CompileError));

for (const [source, message, at] of [
  ["duration('1h')", undefined],
  ["duration('1x')", 'invalid duration argument', 9],
  ["timestamp('2023-01-01T00:00:00Z')", undefined],
  ["timestamp('now')", 'invalid timestamp argument', 10],
  ["'a'.matches('[a')", 'invalid matches argument', 12],
  ["'a'.matches('(?=a)')", 'invalid matches argument', 12],
  ["matches('a', '[a')", undefined],
  ["matches('[a', 'a')", 'invalid matches argument', 8],
  ['duration(a)', undefined],
  ['duration(1)', undefined],
  ['duration()', undefined],
  ["constructor('1x')", undefined],
  ["size('1x')", undefined],
] as const)
  test(`a literal that no function could read: ${source}`, () => {
    const node = read(source) as CallNode;
    assert.deepEqual(literalMistake(node.name, node), message === undefined ? undefined : { at, message });
  });
