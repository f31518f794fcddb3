/** Objects and schemas that are right, or wrong, in very many places. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atOnce } from '@binnacle/base';
import type { SchemaProps } from './props.ts';
import { structuralFindings } from './validate.ts';

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const TOO_MUCH = 'checking the object against its schema took too much work';

function restsOf(object: unknown, props: SchemaProps): { readonly rests: number; readonly errors: readonly string[] } {
  const pieces = structuralFindings(object, props);
  for (let rests = 0; ; rests++) {
    const piece = pieces.next();
    if (piece.done === true) return { rests, errors: piece.value.map(({ detail }) => detail ?? '') };
  }
}

const LIST: SchemaProps = { type: 'array', items: { type: 'string', maxLength: 4 } };
const ROWS: readonly [name: string, object: unknown, props: SchemaProps, rests: number][] = [
  ['a list of texts', many(100_000, () => 'a'), LIST, 30],
  [
    'a map of texts',
    Object.fromEntries(many(50_000, (i) => [`a${i}`, 'a'])),
    { additionalProperties: { type: 'string' } },
    15,
  ],
  ['one long text in many parts', 'a'.repeat(1000), { allOf: many(10_000, (i) => ({ maxLength: 1000 + i })) }, 60],
  ['lists in lists', many(300, () => many(300, () => 'a')), { type: 'array', items: LIST }, 30],
];

describe('a check that takes long rests', () => {
  for (const [name, object, props, least] of ROWS) {
    it(name, () => {
      const { rests, errors } = restsOf(object, props);
      assert.deepEqual(errors, []);
      assert.ok(rests >= least, `${rests}`);
    });
  }

  it('and a small one does not', () =>
    assert.equal(restsOf({ a: ['b'] }, { properties: { a: LIST } }).rests <= 3, true));
});

const MANY_PARTS = many(20_000, (i) => ({ maxLength: 25_000 + i }));
const ENDLESS: readonly [name: string, object: unknown, props: SchemaProps][] = [
  ['a long text in very many parts', 'a'.repeat(100_000), { allOf: MANY_PARTS }],
  ['in alternatives', 'a'.repeat(100_000), { anyOf: MANY_PARTS }],
  ['in alternatives of which one holds', 'a'.repeat(100_000), { oneOf: MANY_PARTS }],
  [
    'a long list in very many parts',
    many(100_000, () => 1),
    { allOf: many(10_000, () => ({ items: { minimum: 2 } })) },
  ],
  [
    'long texts and lists of values',
    many(100, () => 'a'.repeat(4000)),
    { allOf: many(10_000, () => ({ items: { enum: [1] } })) },
  ],
];

describe('a check that would take minutes is given up, and says so', () => {
  for (const [name, object, props] of ENDLESS) {
    it(name, () => {
      const before = process.cpuUsage();
      const { errors } = restsOf(object, props);
      const { user, system } = process.cpuUsage(before);
      assert.deepEqual(errors, [TOO_MUCH]);
      assert.ok(user + system < 20_000_000, `${user + system} µs`);
    });
  }
});

it('what is as it was is compared once, however many parts find fault with it', () => {
  let reads = 0;
  const before = [{ a: {} }];
  const object = [
    {
      get a() {
        reads++;
        return {};
      },
    },
  ];
  const props: SchemaProps = { allOf: many(2000, () => ({ items: { type: 'string' } })) };
  assert.deepEqual(atOnce(structuralFindings(object, props, { before, isOfStatus: false })), []);
  assert.ok(reads <= 10, `${reads}`);
});

const WIDE = '😀';
for (const [text, props, isRight] of [
  [WIDE.repeat(2), { minLength: 3, maxLength: 100 }, false],
  [WIDE.repeat(3), { minLength: 3, maxLength: 100 }, true],
  [WIDE.repeat(4), { maxLength: 3 }, false],
  [WIDE.repeat(3), { maxLength: 3 }, true],
  ['', { minLength: 0 }, true],
  ['', { minLength: 1 }, false],
  ['a', { maxLength: 0 }, false],
  ['', { maxLength: 0 }, true],
] as const) {
  it(`"${text}" is ${isRight ? 'as long as' : 'not as long as'} ${JSON.stringify(props)} says`, () => {
    assert.equal(atOnce(structuralFindings(text, props)).length === 0, isRight);
  });
}

/** As many levels as a text of JSON may have. */
const nested = (depth: number, inner: unknown): unknown =>
  Array.from({ length: depth }).reduce<unknown>((below, _, i) => (i % 2 === 0 ? { a: below } : [below]), inner);
const NESTED = Array.from({ length: 900 }).reduce<SchemaProps>(
  (below, _, i) => (i % 2 === 0 ? { type: 'object', properties: { a: below } } : { type: 'array', items: below }),
  { type: 'string', maxLength: 2 },
);

it('values inside each other are checked to the last, however deep they are', () => {
  assert.deepEqual(restsOf(nested(900, 'ab'), NESTED).errors, []);
  const [error, ...more] = atOnce(structuralFindings(nested(900, 'abc'), NESTED));
  assert.equal(more.length, 0);
  assert.equal(error?.type, 'FieldValueTooLong');
  const inParts = { allOf: [NESTED, NESTED], not: { ...NESTED, maxProperties: 0 } };
  assert.equal(restsOf(nested(900, 'abc'), inParts).errors.length, 3);
});
