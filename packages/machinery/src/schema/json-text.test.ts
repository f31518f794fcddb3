import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { countMembers, nodeOf, parseDocument, parseExact, parseJson, readJson } from './json-text.ts';

/** Members of all objects in a parsed value. */
function members(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value).reduce((sum: number, item: unknown) => sum + members(item), 0);
  return inner + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

test('members are counted as the parser sees them; what strings hold may only add to them', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      assert.ok(countMembers(text) >= members(value));
    }),
    { seed: 36 },
  );
  const rows: readonly (readonly [text: string, count: number])[] = [
    ['{"a\\"": "b\\\\" , "c" : {}}', 2],
    ['{"\\\\":1,"x":"\\\\:","image":"a:1.0"}', 3],
    ['{"a":"{\\"b\\":1}"}', 1],
    ['{"k:{\\"name\\":\\"a\\"}":{},"b\\\\":"\\\\\\":"}', 2],
    ['{"a" \n : "::" , "b":":80"}', 4],
  ];
  for (const [text, count] of rows) assert.equal(countMembers(text), count, text);
});

test('a repeated member counts twice', () => assert.equal(countMembers('{"a":1,"a":2}'), 2));

test('the exact reading agrees with the parser', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      assert.deepEqual(readJson(text), nodeOf(JSON.parse(text)));
    }),
    { seed: 36 },
  );
});

test('a malformed text is refused by both, with words of our own', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:0-1.eE\\untfals '.split('')) }), (text) => {
      let parsed = true;
      try {
        JSON.parse(text);
      } catch {
        parsed = false;
      }
      if (parsed) assert.doesNotThrow(() => readJson(text));
      else assert.throws(() => parseJson(text), { code: 'decode', message: /^(invalid character|unexpected end)/ });
    }),
    { seed: 36, numRuns: 2000 },
  );
});

test('digits that a double cannot hold are kept', () => {
  for (const text of ['[9007199254740993]', '{"a":1.234567890123456789}', '[1e400]']) {
    assert.equal(JSON.stringify(parseExact(text)), text);
  }
  assert.deepEqual(parseExact('[1.0,2,0.5]'), [1, 2, 0.5]);
});

test('a document to be walked must not be too deep', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  assert.doesNotThrow(() => parseDocument(nested(1000)));
  assert.throws(() => parseDocument(nested(1001)), { message: 'exceeded max depth' });
  assert.throws(() => parseDocument(nested(100_000)), { message: 'exceeded max depth' });
  assert.deepEqual(parseDocument(JSON.stringify('['.repeat(5000))), '['.repeat(5000));
});
