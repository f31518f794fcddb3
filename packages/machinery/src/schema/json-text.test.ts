import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  countMembers,
  isFraction,
  nodeOf,
  parseDocument,
  parseExact,
  parseJson,
  parseWritten,
  readJson,
  writesFraction,
} from './json-text.ts';

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

test('or however they are written, where a point or an exponent matters', () => {
  const text = '[1.0,2,0.5,-1e3,9007199254740993,0.10,-0.0]';
  assert.equal(JSON.stringify(parseWritten(text)), text);
  assert.equal(JSON.stringify(parseDocument(text, 'written')), text);
  assert.equal(JSON.stringify(parseDocument('{"a":1.0}')), '{"a":1}');
});

const FRACTIONS: readonly (readonly [text: string, found: boolean])[] = [
  ['{"a":1}', false],
  ['{"a":1.0}', true],
  ['{"a" \n:\t-1E3}', true],
  ['{"a":[1,2.5]}', true],
  ['[[null, 1e3]]', true],
  ['{"a":[1,2,3],"b":[true,-1]}', false],
  ['{"image":"nginx:1.25","ip":"10.0.0.1"}', false],
  ['{"none":"localhost,10.0.0.0/8,::1.2","say":"\\"a\\":1.5"}', false],
  ['{"a":"x[0].y","b":"null.","c":1}', false],
];
for (const [text, found] of FRACTIONS) {
  test(`a fraction in ${text}: ${found}`, () => assert.equal(writesFraction(text), found));
}

test('no member and no list of numbers with a fraction is passed over', () => {
  const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null));
  const value = fc.letrec((tie) => ({
    any: fc.oneof(number, fc.string(), fc.array(number), fc.dictionary(fc.string(), tie('any')), fc.array(tie('any'))),
  })).any;
  const hasFraction = (given: unknown): boolean => {
    if (typeof given !== 'object' || given === null) return false;
    const isOfNumbers = !Array.isArray(given) || given.every((item) => item === null || typeof item === 'number');
    const members: readonly unknown[] = Object.values(given);
    const own = isOfNumbers && members.some((item) => typeof item === 'number' && isFraction(JSON.stringify(item)));
    return own || members.some(hasFraction);
  };
  fc.assert(
    fc.property(value, fc.constantFrom(0, 2, '\t'), (given, indent) => {
      if (hasFraction(given)) assert.ok(writesFraction(JSON.stringify(given, null, indent)));
    }),
    { seed: 36 },
  );
});

test('a document to be walked must not be too deep', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  assert.doesNotThrow(() => parseDocument(nested(1000)));
  assert.throws(() => parseDocument(nested(1001)), { message: 'exceeded max depth' });
  assert.throws(() => parseDocument(nested(100_000)), { message: 'exceeded max depth' });
  assert.deepEqual(parseDocument(JSON.stringify('['.repeat(5000))), '['.repeat(5000));
});
