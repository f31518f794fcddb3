import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atOnce } from '@binnacle/base';
import fc from 'fast-check';
import { rawJson } from '../../raw-json.ts';
import type { SchemaProps } from './props.ts';
import { patternProblem, countSteps, readPatterns, defaultFindings, structuralFindings } from './validate.ts';

const text = { type: 'string' };
const of = (properties: { [name: string]: SchemaProps }, more: SchemaProps = {}): SchemaProps => ({
  type: 'object',
  properties,
  ...more,
});
const said = (value: unknown, props: SchemaProps): string[] => atOnce(structuralFindings(value, props)).map(String);

const long = (digits: string): object => ({ a: rawJson(digits) });
const whole = (more: SchemaProps): SchemaProps => of({ a: { type: 'integer', ...more } });

// Provenance: apiextensions-apiserver v0.36.2 asked (ValidateCustomResource of a schema made by NewSchemaValidator).
const LARGE: readonly [name: string, props: SchemaProps, value: unknown, ...errors: string[]][] = [
  [
    'one more than the most, beyond what a double holds',
    whole({ maximum: 9007199254740992 }),
    long('9007199254740993'),
    'a: Invalid value: 9007199254740993: a in body should be less than or equal to 9007199254740992',
  ],
  [
    'more than an exclusive minimum',
    whole({ minimum: 9007199254740992, exclusiveMinimum: true }),
    long('9007199254740993'),
  ],
  [
    'less than a minimum',
    whole({ minimum: -9007199254740992 }),
    long('-9007199254740993'),
    'a: Invalid value: -9007199254740993: a in body should be greater than or equal to -9007199254740992',
  ],
  [
    'no multiple by one',
    whole({ multipleOf: 10 }),
    long('9223372036854775801'),
    'a: Invalid value: 9223372036854775801: a in body should be a multiple of 10',
  ],
  ['a multiple', whole({ multipleOf: 3 }), long('9223372036854775806')],
  [
    'the next of an enumerated one',
    whole({ enum: [rawJson('9007199254740993')] }),
    long('9007199254740995'),
    'a: Unsupported value: 9007199254740995: supported values: "9007199254740993"',
  ],
  ['an enumerated one', whole({ enum: [rawJson('9007199254740993')] }), long('9007199254740993')],
  ['the largest', whole({ format: 'int64' }), long('9223372036854775807')],
  [
    'no integer of 64 bits',
    whole({}),
    long('9223372036854775808'),
    'a: Invalid value: "number": a in body must be of type integer: "number"',
    '<nil>: Invalid value: "": Checked value must be of type integer (default format) in a',
  ],
  [
    'no integer of 64 bits whose digits a double tells',
    whole({}),
    { a: 12345678901234567000 },
    'a: Invalid value: "number": a in body must be of type integer: "number"',
    '<nil>: Invalid value: "": Checked value must be of type integer (default format) in a',
  ],
  [
    'another type than that of a format',
    of({
      a: { type: 'integer', format: 'int32' },
      b: { type: 'string', format: 'date' },
      c: { type: 'number', format: 'double' },
    }),
    { a: 1.5, b: 1, c: true },
    'a: Invalid value: "float64": a in body must be of type int32: "float64"',
    '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in a',
    'b: Invalid value: "int64": b in body must be of type date: "int64"',
    'c: Invalid value: "": c in body must be of type double: ""',
  ],
  [
    'a text in the place of a number with a format',
    of({ a: { type: 'integer', format: 'int32' } }),
    { a: 'x' },
    'a: Invalid value: "string": a in body must be of type integer: "string"',
  ],
  ['a format that says nothing of size', whole({ format: 'uint32' }), { a: -1 }],
  [
    'a double as near to an integer as no calculation matters',
    of({ a: { type: 'number', multipleOf: 1 } }),
    { a: 3.0000000001 },
  ],
  [
    'several mistakes, in this order',
    of({ a: { type: 'number', maximum: 10, minimum: 20, multipleOf: 4 } }),
    { a: 15 },
    ...['a multiple of 4', 'greater than or equal to 20', 'less than or equal to 10'].map(
      (how) => `a: Invalid value: 15: a in body should be ${how}`,
    ),
  ],
  [
    'a boundary that is no integer',
    whole({ minimum: 1.5, maximum: 2 ** 63 }),
    { a: 2 },
    '<nil>: Invalid value: "": Minimum boundary value must be of type integer (default format) in a',
    '<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in a',
  ],
  // What an integer is compared with is cut to one.
  ['an integer above a fraction by its whole part', of({ a: { type: 'number', minimum: 5.5 } }), { a: 5 }],
  [
    'an integer, and a step that is less than one',
    of({ a: { type: 'number', multipleOf: 0.5 } }),
    { a: 3 },
    'a: Invalid value: 0: factor MultipleOf declared for a must be positive: 0',
  ],
  ['steps of a tenth', of({ a: { type: 'number', multipleOf: 0.1 } }), { a: 0.3 }],
  [
    'a bound as Go writes a double',
    of({ a: { type: 'number', maximum: 1000000 } }),
    { a: 1000000.5 },
    'a: Invalid value: 1000000.5: a in body should be less than or equal to 1e+06',
  ],
];

// Provenance: upstream's kube-openapi validation, and apiextensions' translation of its results.
const ROWS: readonly [name: string, props: SchemaProps, value: unknown, ...errors: string[]][] = [
  ['a right object', of({ a: text }), { a: 'x' }],
  ['unknown members', of({ a: text }), { b: 1 }],
  [
    'the wrong type',
    of({ a: text }),
    { a: 1 },
    'a: Invalid value: "integer": a in body must be of type string: "integer"',
  ],
  [
    'a fraction for an integer',
    of({ a: { type: 'integer' } }),
    { a: 1.5 },
    'a: Invalid value: "number": a in body must be of type integer: "number"',
    '<nil>: Invalid value: "": Checked value must be of type integer (default format) in a',
  ],
  ['an integer for a number', of({ a: { type: 'number' } }), { a: 1 }],
  ['a long integer', of({ a: { type: 'integer', minimum: 5 } }), { a: rawJson('9223372036854775807') }],
  ['a null', of({ a: text }), { a: null }, 'a: Invalid value: "null": a in body must be of type string: "null"'],
  ['a null that may be', of({ a: { ...text, nullable: true, enum: ['x'] } }), { a: null }],
  ['a member that is missing', of({ s: of({ a: text }, { required: ['a'] }) }), { s: {} }, 's.a: Required value'],
  ['a member called like one of a prototype', of({}, { required: ['constructor'] }), {}, 'constructor: Required value'],
  [
    'an enumeration',
    of({ a: { ...text, enum: ['x', 'y'] } }),
    { a: 'z' },
    'a: Unsupported value: "z": supported values: "x", "y"',
  ],
  ['an enumeration of objects', of({ a: { enum: [{ b: 1, c: 2 }] } }), { a: { c: 2, b: 1 } }],
  [
    'a pattern',
    of({ a: { ...text, pattern: '^a+$' } }),
    { a: 'b' },
    'a: Invalid value: "b": a in body should match \'^a+$\'',
  ],
  [
    'a pattern that another engine would hang on',
    of({ a: { ...text, pattern: '^(a+)+$' } }),
    { a: `${'a'.repeat(5000)}b`.slice(4990) },
    'a: Invalid value: "aaaaaaaaaab": a in body should match \'^(a+)+$\'',
  ],
  ['too long', of({ a: { ...text, maxLength: 2 } }), { a: 'abc' }, 'a: Too long: may not be more than 2 bytes'],
  ['characters, not units', of({ a: { ...text, maxLength: 2 } }), { a: '😀😀' }],
  [
    'too short',
    of({ a: { ...text, minLength: 2 } }),
    { a: '😀' },
    'a: Invalid value: "😀": a in body should be at least 2 chars long',
  ],
  [
    'a format',
    of({ a: { ...text, format: 'date-time' } }),
    { a: 'x' },
    'a: Invalid value: "x": a in body must be of type date-time: "x"',
  ],
  [
    'bounds',
    of({ a: { type: 'integer', minimum: 1, maximum: 3 } }),
    { a: 0 },
    'a: Invalid value: 0: a in body should be greater than or equal to 1',
  ],
  [
    'exclusive bounds',
    of({ a: { type: 'integer', maximum: 3, exclusiveMaximum: true } }),
    { a: 3 },
    'a: Invalid value: 3: a in body should be less than 3',
  ],
  [
    'multiples',
    of({ a: { type: 'integer', multipleOf: 5 } }),
    { a: 7 },
    'a: Invalid value: 7: a in body should be a multiple of 5',
  ],
  ...LARGE,
  [
    'items',
    of({ a: { type: 'array', items: text } }),
    { a: ['x', 1] },
    'a[1]: Invalid value: "integer": a[1] in body must be of type string: "integer"',
  ],
  [
    'too many items',
    of({ a: { type: 'array', maxItems: 1 } }),
    { a: [1, 2] },
    'a: Too many: 2: must have at most 1 item',
  ],
  [
    'too few items',
    of({ a: { type: 'array', minItems: 2 } }),
    { a: [1] },
    'a: Invalid value: 1: a in body should have at least 2 items',
  ],
  [
    'unique items',
    of({ a: { type: 'array', uniqueItems: true } }),
    {
      a: [
        { b: 1, c: 1 },
        { c: 1, b: 1 },
      ],
    },
    'a: Invalid value: [{"b":1,"c":1},{"c":1,"b":1}]: a in body shouldn\'t contain duplicates',
  ],
  [
    'too many members',
    of({ a: { type: 'object', maxProperties: 1 } }),
    { a: { b: 1, c: 2 } },
    'a: Too many: 2: must have at most 1 item',
  ],
  [
    'members of a map',
    of({ a: { type: 'object', additionalProperties: { type: 'integer' } } }),
    { a: { constructor: 'x' } },
    'a.constructor: Invalid value: "string": a.constructor in body must be of type integer: "string"',
  ],
  [
    'int or string',
    of({ a: { 'x-kubernetes-int-or-string': true } }),
    { a: true },
    'a: Invalid value: "boolean": a in body must be of type integer,string: "boolean"',
  ],
  [
    'one of several: none',
    of({ a: { oneOf: [text, { type: 'integer' }] } }),
    { a: true },
    '<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found none valid',
    'a: Invalid value: "boolean": a in body must be of type string: "boolean"',
  ],
  [
    'one of several: two',
    of({ a: { oneOf: [text, { minLength: 1 }] } }),
    { a: 'x' },
    '<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ],
  [
    'any of several',
    of({ a: { anyOf: [{ minimum: 5 }, { maximum: 1 }] } }),
    { a: 3 },
    '<nil>: Invalid value: "": "a" must validate at least one schema (anyOf)',
    'a: Invalid value: 3: a in body should be greater than or equal to 5',
  ],
  [
    'all of several',
    of({ a: { allOf: [{ minimum: 5 }, { maximum: 9 }] } }),
    { a: 3 },
    '<nil>: Invalid value: "": "a" must validate all the schemas (allOf)',
    'a: Invalid value: 3: a in body should be greater than or equal to 5',
  ],
  [
    'not',
    of({ a: { not: { enum: [3] } } }),
    { a: 3 },
    '<nil>: Invalid value: "": "a" must not validate the schema (not)',
  ],
  [
    'a set',
    of({ a: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' } }),
    { a: ['x', 'y', 'x'] },
    'a[2]: Duplicate value: "x"',
  ],
  [
    'a map of items',
    of({
      a: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['n'],
        items: of({ n: text }),
      },
    }),
    { a: [{ n: 'x', b: 1 }, { n: 'x' }] },
    'a[1]: Duplicate value: {"n":"x"}',
  ],
];

describe('validation by a schema', () => {
  for (const [name, props, value, ...errors] of ROWS) it(name, () => assert.deepEqual(said(value, props), errors));

  it('finds a thousand mistakes and no more', () => {
    const list = Array.from({ length: 5000 }, () => 1);
    assert.equal(said({ a: list }, of({ a: { type: 'array', items: text } })).length, 1000);
  });

  it('tells a pattern that is none, and lets nothing match it', () => {
    assert.match(patternProblem('(') ?? '', /missing/);
    assert.equal(patternProblem('^a$'), undefined);
    assert.equal(said({ a: 'x' }, of({ a: { ...text, pattern: '(' } })).length, 1);
  });

  it('reads very many patterns in pieces, and few not before they are needed', () => {
    const schema = (count: number): SchemaProps =>
      of(Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, { ...text, pattern: `x{1,999}${i}` }])));
    assert.equal([...readPatterns(schema(15))].length, 0);
    // Each piece has five thousand steps.
    const pieces = [...readPatterns(schema(60))].length;
    assert.ok(pieces >= 9 && pieces <= 13, `${pieces}`);
    const props = of({ a: { ...text, pattern: 'x'.repeat(10_001) }, b: { ...text, pattern: 'x{9}' } });
    assert.equal(atOnce(countSteps(props)), 9);
  });

  it('matches patterns as long as that takes no more work than a whole object may', () => {
    // A thousand steps, though none of these texts needs them.
    const heavy = { ...text, pattern: 'q{1,1000}' };
    const ends = (errors: readonly string[], word: RegExp): number => errors.filter((error) => word.test(error)).length;
    const over = /Invalid value: matching patterns took too much work, no further patterns are matched$/;
    assert.equal(ends(said({ a: 'x'.repeat(39_000) }, of({ a: heavy })), /should match/), 1);
    assert.deepEqual(ends(said({ a: 'x'.repeat(41_000) }, of({ a: heavy })), over), 1);
    const many = Array.from({ length: 10 }, () => 'x'.repeat(15_000));
    const list = said({ a: many }, of({ a: { type: 'array', items: heavy } }));
    assert.deepEqual([ends(list, /should match/), ends(list, over)], [2, 8]);
    for (const junctor of ['anyOf', 'allOf', 'oneOf']) {
      const parts = Array.from({ length: 10 }, () => ({ pattern: heavy.pattern, minLength: 1 }));
      const tried = said({ a: 'x'.repeat(15_000), b: 'x' }, of({ a: { ...text, [junctor]: parts }, b: heavy }));
      assert.match(tried.at(-1) ?? '', /^b: Invalid value: matching patterns/, junctor);
    }
  });
});

/** The plain definition: one rule after the other, no message, no care for speed. */
function isValid(value: unknown, props: SchemaProps): boolean {
  const type =
    value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
  if (type === 'null' && props.nullable === true) return true;
  const fits = props.type === undefined || props.type === type || (props.type === 'number' && type === 'integer');
  if (!fits || (type === 'null' && props.type === undefined && props.enum !== undefined))
    return fits && isAllowed(value, props);
  if (type === 'null') return isAllowed(value, props);
  const same = (a: unknown, b: unknown): boolean => {
    try {
      assert.deepEqual(a, b);
      return true;
    } catch {
      return false;
    }
  };
  if (!isAllowed(value, props)) return false;
  if (props.anyOf !== undefined && !props.anyOf.some((inner) => isValid(value, inner))) return false;
  if (props.allOf !== undefined && !props.allOf.every((inner) => isValid(value, inner))) return false;
  if (props.oneOf !== undefined && props.oneOf.filter((inner) => isValid(value, inner)).length !== 1) return false;
  if (props.not !== undefined && isValid(value, props.not)) return false;
  if (typeof value === 'string')
    return value.length <= (props.maxLength ?? 99) && value.length >= (props.minLength ?? 0);
  if (typeof value === 'number') return value <= (props.maximum ?? 99) && value >= (props.minimum ?? -99);
  if (Array.isArray(value)) {
    if (value.length > (props.maxItems ?? 99)) return false;
    if (props.uniqueItems === true && value.some((a, i) => value.some((b, j) => i < j && same(a, b)))) return false;
    return props.items === undefined || value.every((item) => isValid(item, props.items as SchemaProps));
  }
  if (typeof value !== 'object' || value === null) return true;
  const map = value as { readonly [key: string]: unknown };
  if ((props.required ?? []).some((name) => !Object.hasOwn(map, name))) return false;
  if (Object.keys(map).length > (props.maxProperties ?? 99)) return false;
  return Object.entries(map).every(([key, member]) => {
    const own =
      props.properties !== undefined && Object.hasOwn(props.properties, key) ? props.properties[key] : undefined;
    const inner = own ?? (props.additionalProperties as SchemaProps | undefined);
    return inner === undefined || isValid(member, inner);
  });
}

function isAllowed(value: unknown, props: SchemaProps): boolean {
  return props.enum === undefined || props.enum?.some((one) => JSON.stringify(one) === JSON.stringify(value)) === true;
}

const KEY = fc.constantFrom('a', 'b', 'constructor', '__proto__');
const { value: VALUE } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, true, 0, 1, 5, 2.5, '', 'x', 'xyz'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(KEY, tie('value'), { maxKeys: 3 }),
  ),
}));
const { schema: SCHEMA } = fc.letrec<{ schema: SchemaProps }>((tie) => ({
  schema: fc.record(
    {
      type: fc.constantFrom('object', 'array', 'string', 'integer', 'number', 'boolean'),
      nullable: fc.boolean(),
      enum: fc.array(fc.constantFrom<unknown>(1, 'x', true), { minLength: 1, maxLength: 3 }),
      maximum: fc.integer({ min: 0, max: 5 }),
      minimum: fc.integer({ min: -1, max: 3 }),
      maxLength: fc.integer({ min: 0, max: 3 }),
      minLength: fc.integer({ min: 0, max: 2 }),
      maxItems: fc.integer({ min: 0, max: 3 }),
      uniqueItems: fc.boolean(),
      maxProperties: fc.integer({ min: 0, max: 3 }),
      required: fc.array(KEY, { maxLength: 2 }),
      items: fc.oneof({ maxDepth: 1 }, fc.constant({}), tie('schema')),
      properties: fc.dictionary(KEY, fc.oneof({ maxDepth: 1 }, fc.constant({}), tie('schema')), { maxKeys: 2 }),
      additionalProperties: fc.oneof({ maxDepth: 1 }, fc.constant({}), tie('schema')),
      anyOf: fc.array(fc.oneof({ maxDepth: 1 }, fc.constant({}), tie('schema')), { minLength: 1, maxLength: 2 }),
      oneOf: fc.array(fc.oneof({ maxDepth: 1 }, fc.constant({}), tie('schema')), { minLength: 1, maxLength: 2 }),
      allOf: fc.array(fc.oneof({ maxDepth: 1 }, fc.constant({}), tie('schema')), { minLength: 1, maxLength: 2 }),
      not: fc.constantFrom<SchemaProps>({ type: 'string' }, { minimum: 2 }),
    },
    { requiredKeys: [] },
  ),
}));

it('agrees with the plain definition on any schema and any value', () => {
  fc.assert(
    fc.property(SCHEMA, VALUE, (props, value) => {
      assert.equal(atOnce(structuralFindings(value, props)).length === 0, isValid(value, props));
    }),
    { seed: 36, numRuns: 300 },
  );
});

// Provenance: dry runs of a kube-apiserver v1.36 with CRDValidationRatcheting, its default.
describe('what was wrong before may stay', () => {
  const list = (type: string): SchemaProps => ({
    type: 'array',
    'x-kubernetes-list-type': type,
    ...(type === 'map' ? { 'x-kubernetes-list-map-keys': ['k'] } : {}),
    items: type === 'map' ? of({ k: text, v: { type: 'integer' } }) : text,
  });
  const SCHEMA = of({
    short: { type: 'string', maxLength: 2 },
    must: of({ x: text, y: text }, { required: ['y'] }),
    one: of({ p: text, q: text }, { oneOf: [{ required: ['p'] }, { required: ['q'] }] }),
    set: list('set'),
    map: list('map'),
    plain: { type: 'array', items: { type: 'integer' } },
    counts: { type: 'object', maxProperties: 1, additionalProperties: { type: 'integer' } },
    other: text,
  });
  const rows: readonly [name: string, before: object, after: object, ...errors: string[]][] = [
    ['another field changes', { short: 'long' }, { short: 'long', other: 'x' }],
    ['the field changes', { short: 'long' }, { short: 'longer' }, 'short: Too long: may not be more than 2 bytes'],
    ['it was not there', {}, { short: 'long' }, 'short: Too long: may not be more than 2 bytes'],
    ['a member is still missing', { must: { x: 'a' } }, { must: { x: 'a' }, other: 'x' }],
    ['what should hold it changes', { must: { x: 'a' } }, { must: { x: 'b' } }, 'must.y: Required value'],
    ['alternatives', { one: { p: 'a', q: 'b' } }, { one: { p: 'a', q: 'b' }, other: 'x' }],
    [
      'alternatives whose object changes',
      { one: { p: 'a', q: 'b' } },
      { one: { p: 'c', q: 'b' } },
      '<nil>: Invalid value: "": "one" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    [
      'items with keys, in another order',
      { map: [{ k: 'a', v: 'x' }, { k: 'b' }] },
      { map: [{ k: 'b' }, { k: 'a', v: 'x' }] },
    ],
    [
      'an item with a key that changes',
      { map: [{ k: 'a', v: 'x' }] },
      { map: [{ k: 'a', v: 'y' }] },
      'map[0].v: Invalid value: "string": map[0].v in body must be of type integer: "string"',
    ],
    [
      'items without keys are never the same',
      { plain: ['a'] },
      { plain: ['a', 1] },
      'plain[0]: Invalid value: "string": plain[0] in body must be of type integer: "string"',
    ],
    ['a list that repeated itself may go on', { set: ['a', 'a'] }, { set: ['a', 'a', 'b', 'b'] }],
    ['a list that did not', { set: ['a'] }, { set: ['a', 'a'] }, 'set[1]: Duplicate value: "a"'],
    ['too many members', { counts: { a: 1, b: 2 } }, { counts: { a: 1, b: 2 }, other: 'x' }],
  ];
  for (const [name, before, after, ...errors] of rows) {
    it(name, () => {
      const found = atOnce(structuralFindings(after, SCHEMA, { before, isOfStatus: false }));
      assert.deepEqual(found.map(String), errors);
    });
  }

  it('objects inside of objects are looked at anew, but for changes of the status', () => {
    const props = of({
      e: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    });
    const told = (isOfStatus: boolean): number =>
      atOnce(structuralFindings({ e: {} }, props, { before: { e: {} }, isOfStatus })).length;
    assert.deepEqual([told(false), told(true)], [2, 0]);
  });
});

describe('numbers are of the size that their format says', () => {
  const rows: readonly [format: string | undefined, value: number, fits: boolean][] = [
    ['int32', 2 ** 31 - 1, true],
    ['int32', 2 ** 31, false],
    ['int64', 2 ** 31, true],
    // No format of upstream's numbers.
    ['uint32', -1, true],
    [undefined, 2 ** 53, true],
  ];
  for (const [format, value, fits] of rows) {
    it(`${value} as ${format}`, () => {
      const how = format === undefined ? '(default format)' : `with format ${format}`;
      const wrong = `<nil>: Invalid value: "": Checked value must be of type integer ${how} in a`;
      const props = of({ a: { type: 'integer', ...(format === undefined ? {} : { format }) } });
      assert.deepEqual(said({ a: value }, props), fits ? [] : [wrong]);
    });
  }
});

describe('defaults', () => {
  it('have nothing that their schema does not know', () => {
    const props = of({ x: text });
    assert.deepEqual(atOnce(defaultFindings({ x: 'a', y: 1 }, props)).map(String), [
      ': Invalid value: {"x":"a","y":1}: must not have unknown fields',
    ]);
    assert.deepEqual(atOnce(defaultFindings({ x: 'a' }, props)), []);
  });
});

it('what nobody uses of a large schema is not compiled', () => {
  const looked = new Set<string>();
  const member = (name: string): SchemaProps => ({
    get type() {
      looked.add(name);
      return 'string';
    },
  });
  const names = Array.from({ length: 1000 }, (_, n) => `f${n}`);
  const spec = of(Object.fromEntries(names.map((name) => [name, member(name)])));
  // What holds objects inside of it is looked for in all of it, once.
  atOnce(structuralFindings({}, of({ spec })));
  looked.clear();
  assert.deepEqual(said({ spec: { f7: 1, f8: 'x', constructor: 1 } }, of({ spec })).length, 1);
  assert.deepEqual([...looked], ['f7', 'f8']);
});
