import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDocument, readJson } from './json-text.ts';
import { asInMaps, repeatedMembers } from './repeated-members.ts';

const ROWS: readonly [name: string, text: string, problems: readonly string[]][] = [
  ['none', '{"a":{"b":[1,{"c":2}]}}', []],
  ['at the top', '{"a":1,"a":2}', ['a']],
  ['three times', '{"a":1,"a":2,"a":3}', ['a']],
  ['inside each of two', '{"a":{"b":1,"b":2},"c":[{"d":1,"d":2},{"d":1,"d":2}]}', ['a.b', 'c[0].d', 'c[1].d']],
  ['in what is left out', '{"a":{"b":1,"b":2},"a":{}}', ['a.b', 'a']],
  ['in a list', '[{"op":1,"op":2}]', ['[0].op']],
  ['names of the prototype', '{"__proto__":1,"__proto__":2,"constructor":1}', ['__proto__']],
  ['colons and quotation marks in strings', '{"a":":","b":"\\":\\""}', []],
  ['no object', '[1,"a:b"]', []],
];

for (const [name, text, problems] of ROWS) {
  test(`members that stand twice: ${name}`, () => {
    const wanted = problems.map((path) => `duplicate field ${JSON.stringify(path)}`);
    assert.deepEqual(repeatedMembers(text, parseDocument(text)), wanted);
  });
}

test('no more than a hundred are told', () => {
  const text = `[${Array.from({ length: 500 }, () => '{"a":1,"a":2}').join(',')}]`;
  assert.equal(repeatedMembers(text, parseDocument(text)).length, 100);
});

const IN_MAPS: readonly (readonly [text: string, kept: string])[] = [
  ['{"b":1,"a":{"d":1,"c":2}}', '{"a":{"c":2,"d":1},"b":1}'],
  ['{"a":{"x":1},"b":1,"a":2}', '{"a":2,"b":1}'],
  ['[{"b":1,"a":2,"b":3},null]', '[{"a":2,"b":3},null]'],
  ['{"__proto__":1,"10":2,"9":3}', '{"10":2,"9":3,"__proto__":1}'],
  ['"x"', '"x"'],
];
for (const [text, kept] of IN_MAPS) {
  test(`as maps keep it: ${text}`, () => assert.deepEqual(asInMaps(readJson(text)), readJson(kept)));
}
