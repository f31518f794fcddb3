import assert from 'node:assert/strict';
import test from 'node:test';
import { createSchemaRegistry } from './registry.ts';
import type { SchemaTable } from './table.ts';

const TABLE: SchemaTable = {
  'x.v1.Pod': {
    fields: {
      kind: { type: 'string', omitEmpty: true },
      metadata: { type: '#x.v1.Meta', omitEmpty: true },
      spec: { type: '#x.v1.Spec', omitEmpty: true },
    },
  },
  'x.v1.Meta': {
    fields: {
      name: { type: 'string', omitEmpty: true },
      created: { type: 'Time', omitEmpty: true, omitZero: true },
      seen: { type: 'Time', omitEmpty: true },
      labels: { type: '{}string', omitEmpty: true },
      fieldsV1: { type: 'FieldsV1', omitEmpty: true, pointer: true },
    },
  },
  'x.v1.Spec': {
    fields: {
      containers: { type: '[]#x.v1.Container' },
      selector: { type: '#x.v1.Meta', pointer: true },
      priority: { type: 'int32', omitEmpty: true, pointer: true },
      grace: { type: 'int64', omitEmpty: true },
      ids: { type: '[]int64', omitEmpty: true },
      share: { type: 'double', omitEmpty: true },
      any: { type: 'JSON', omitEmpty: true, pointer: true },
      raw: { type: 'RawExtension', omitEmpty: true, pointer: true },
      data: { type: '{}bytes', omitEmpty: true },
    },
  },
  'x.v1.Container': {
    fields: {
      name: { type: 'string' },
      policy: { type: 'string', omitEmpty: true, go: 'v1.PullPolicy' },
      port: { type: 'IntOrString', omitEmpty: true },
      limits: { type: '{}Quantity', omitEmpty: true },
      stdin: { type: 'bool', omitEmpty: true },
    },
  },
};
const registry = createSchemaRegistry(TABLE);
const EMPTY = { metadata: { seen: null }, spec: { containers: null, selector: null } };

function decode(json: string): unknown {
  return registry.decodeJson(json, 'x.v1.Pod', 'Strict').value;
}

const NORMAL_FORM: [name: string, input: string, output: unknown][] = [
  ['an empty object gets what Go writes for zero', '{}', EMPTY],
  ['null is an empty object', 'null', EMPTY],
  ['null is absent', '{"metadata":null,"spec":{"containers":null}}', EMPTY],
  ['a null time with omitzero is dropped', '{"metadata":{"created":null}}', EMPTY],
  ['empty maps and zero scalars are dropped', '{"metadata":{"labels":{},"name":""},"spec":{"grace":0}}', EMPTY],
  [
    'pointers keep their zero value',
    '{"spec":{"priority":0,"selector":{}}}',
    { metadata: { seen: null }, spec: { containers: null, selector: { seen: null }, priority: 0 } },
  ],
  [
    'null elements become zero values',
    '{"metadata":{"labels":{"a":null}},"spec":{"containers":[null]}}',
    {
      metadata: { seen: null, labels: { a: '' } },
      spec: { containers: [{ name: '', port: 0 }], selector: null },
    },
  ],
  [
    'quantities, times and base64 become canonical',
    '{"metadata":{"seen":"2020-01-01T02:00:00.5+02:00"},"spec":{"data":{"a":"eHg\\n="},"containers":[{"limits":{"a":0.5,"b":"1024Mi","c":"1u"}}]}}',
    {
      metadata: { seen: '2020-01-01T00:00:00Z' },
      spec: {
        containers: [{ name: '', port: 0, limits: { a: '500m', b: '1Gi', c: '1m' } }],
        selector: null,
        data: { a: 'eHg=' },
      },
    },
  ],
];
for (const [name, input, output] of NORMAL_FORM) {
  test(`normal form: ${name}`, () => assert.deepEqual(decode(input), output));
}

test('fields come in the order of the table, whatever the input has', () => {
  assert.equal(
    JSON.stringify(decode('{"spec":{"containers":[]},"metadata":{"name":"n"},"kind":"K"}')),
    '{"kind":"K","metadata":{"name":"n","seen":null},"spec":{"containers":[],"selector":null}}',
  );
});

// Provenance: encoding/json and sigs.k8s.io/json of upstream v1.36, as quoted in answers of its API server.
const REFUSED: [input: string, message: string][] = [
  [
    '{"spec":{"containers":"x"}}',
    'json: cannot unmarshal string into Go struct field Spec.spec.containers of type []v1.Container',
  ],
  [
    '{"spec":{"containers":[{"name":1}]}}',
    'json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string',
  ],
  [
    '{"spec":{"containers":[{"policy":true}]}}',
    'json: cannot unmarshal bool into Go struct field Container.spec.containers.policy of type v1.PullPolicy',
  ],
  ['{"spec":{"containers":[{"port":true}]}}', 'json: cannot unmarshal bool into Go value of type int32'],
  [
    '{"metadata":{"labels":{"a":1}}}',
    'json: cannot unmarshal number into Go struct field Meta.metadata.labels of type string',
  ],
  [
    '{"spec":{"priority":3000000000}}',
    'json: cannot unmarshal number 3000000000 into Go struct field Spec.spec.priority of type int32',
  ],
  [
    '{"spec":{"priority":1.5}}',
    'json: cannot unmarshal number 1.5 into Go struct field Spec.spec.priority of type int32',
  ],
  [
    '{"spec":{"priority":1.0}}',
    'json: cannot unmarshal number 1.0 into Go struct field Spec.spec.priority of type int32',
  ],
  [
    '{"spec":{"priority" :\n -2.0}}',
    'json: cannot unmarshal number -2.0 into Go struct field Spec.spec.priority of type int32',
  ],
  ['{"spec":{"grace":1e3}}', 'json: cannot unmarshal number 1e3 into Go struct field Spec.spec.grace of type int64'],
  [
    '{"spec":{"ids":[null,1,2.0]}}',
    'json: cannot unmarshal number 2.0 into Go struct field Spec.spec.ids of type int64',
  ],
  ['{"spec":{"containers":[{"port":8E1}]}}', 'json: cannot unmarshal number 8E1 into Go value of type int32'],
  [
    '{"spec":{"share":1e400}}',
    'json: cannot unmarshal number 1e400 into Go struct field Spec.spec.share of type float64',
  ],
  ['{"spec":{"any":[1e400]}}', 'json: cannot unmarshal number 1e400 into Go value of type float64'],
  [
    '{"spec":{"grace":9223372036854775808}}',
    'json: cannot unmarshal number 9223372036854775808 into Go struct field Spec.spec.grace of type int64',
  ],
  ['{"metadata":{"seen":"x"}}', 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
  ['{"metadata":{"seen":"2020-02-30T00:00:00Z"}}', 'parsing time "2020-02-30T00:00:00Z": day out of range'],
  ['{"metadata":{"seen":"9999-12-31T23:59:59-01:00"}}', 'parsing time "9999-12-31T23:59:59-01:00": year out of range'],
  ['{"spec":{"data":{"a":"a"}}}', 'illegal base64 data at input byte 0'],
  [
    '{"spec":{"containers":[{"limits":{"a":"abc"}}]}}',
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  ['[1]', 'json: cannot unmarshal array into Go value of type v1.Pod'],
  ['', 'unexpected end of JSON input'],
  ['{"a"', 'unexpected end of JSON input'],
  ['{"a":}', "invalid character '}' looking for beginning of value"],
  ["{'a'}", "invalid character '\\'' looking for beginning of object key string"],
  ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
  ['{} x', "invalid character 'x' after top-level value"],
  ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
  ['{"a":[1 2]}', "invalid character '2' after array element"],
];
for (const [input, message] of REFUSED) {
  test(`refused: ${input}`, () => assert.throws(() => decode(input), { code: 'decode', message }));
}

const PROBLEMS: [input: string, problems: string[]][] = [
  [
    '{"spec":{"foo":1,"containers":[{"name":"a","bar":1}]}}',
    ['unknown field "spec.foo"', 'unknown field "spec.containers[0].bar"'],
  ],
  ['{"spec":{"grace":1,"grace":2}}', ['duplicate field "spec.grace"']],
  ['{"metadata":{"labels":{"a":"1","a":"2"}}}', ['duplicate field "metadata.labels.a"']],
  ['{"metadata":{"name":"say \\"a\\": b\\\\"}}', []],
  ['{"metadata":{"fieldsV1":{"f:a":{"f:b":{}}}}}', []],
];
for (const [input, problems] of PROBLEMS) {
  test(`problems of ${input}`, () => {
    assert.deepEqual(registry.decodeJson(input, 'x.v1.Pod', 'Warn').problems, problems);
    assert.deepEqual(registry.decodeJson(input, 'x.v1.Pod', 'Ignore').problems, []);
  });
}

test('numbers without a schema keep all digits', () => {
  const value = decode('{"metadata":{"fieldsV1":{"x":12345678901234567890}}}') as { metadata: { fieldsV1: unknown } };
  assert.equal(JSON.stringify(value.metadata.fieldsV1), '{"x":12345678901234567890}');
});

const NUMBERS: [input: string, said: string][] = [
  ['{"share":1.0}', '{"share":1}'],
  ['{"share":1e3}', '{"share":1000}'],
  ['{"grace":-0}', '{}'],
  // Bytes that are passed on stay as they came; what upstream reads on the way it writes anew.
  ['{"raw":{"a":[1.0,0.10,1e3]}}', '{"raw":{"a":[1.0,0.10,1e3]}}'],
  ['{"any":{"a":[1.0,0.10,1e3]}}', '{"any":{"a":[1,0.1,1000]}}'],
];
for (const [input, said] of NUMBERS) {
  test(`a number by its type: ${input}`, () => {
    const { spec } = decode(`{"spec":${input}}`) as { spec: object };
    assert.equal(JSON.stringify({ ...spec, containers: undefined, selector: undefined }), said);
  });
}

test('a quantity keeps the exponent that it is written with', () => {
  const value = decode('{"spec":{"containers":[{"limits":{"a":1e3,"b":1.0}}]}}');
  const { spec } = value as { spec: { containers: { limits: object }[] } };
  assert.deepEqual(spec.containers[0]?.limits, { a: '1e3', b: '1' });
});

test('a quantity written as a long number keeps all digits', () => {
  const text = '{"spec":{"containers":[{"name":"a","limits":{"x":12345678901234567891}}]}}';
  const value = decode(text) as { spec: { containers: { limits: object }[] } };
  assert.deepEqual(value.spec.containers[0]?.limits, { x: '12345678901234567891' });
});

for (const [name, text] of [
  ['lists without a schema', `{"metadata":{"fieldsV1":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`],
  ['an unknown field', `{"x":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`],
] as const) {
  test(`a document too deep is refused: ${name}`, () => {
    assert.throws(() => decode(text), { code: 'decode', message: 'exceeded max depth' });
  });
}

test('an object has the prototype of plain objects', () => {
  const value = decode('{}') as object;
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});

test('no handle on the input is kept, and keys of a client touch no prototype', () => {
  const fieldsV1 = { 'f:a': {} };
  const labels = JSON.parse('{"__proto__":"x"}') as object;
  const { value } = registry.decode<{ metadata: { fieldsV1: object; labels: object } }>('x.v1.Pod', {
    metadata: { fieldsV1, labels },
  });
  assert.notEqual(value.metadata.fieldsV1, fieldsV1);
  assert.deepEqual(value.metadata.fieldsV1, fieldsV1);
  assert.deepEqual(Object.keys(value.metadata.labels), ['__proto__']);
});

test('integers of 64 bits keep every digit', () => {
  for (const digits of ['9223372036854775807', '-9223372036854775808', '9007199254740993', '9007199254740992']) {
    const text = `{"spec":{"grace":${digits}}}`;
    const { value } = registry.decodeJson<object>(text, 'x.v1.Pod', 'Strict');
    assert.ok(JSON.stringify(value).includes(`"grace":${digits}}`), JSON.stringify(value));
    const again = registry.decode<object>('x.v1.Pod', value).value;
    assert.deepEqual(JSON.stringify(again), JSON.stringify(value));
  }
});

test('half a surrogate pair becomes the replacement character', () => {
  const { value } = registry.decodeJson<{ metadata: { labels: object; name: string } }>(
    '{"metadata":{"name":"a\\ud800b\\udc00\\ud83d\\ude00\\\\ud800","labels":{"\\uDBFF":"x"}}}',
    'x.v1.Pod',
    'Strict',
  );
  assert.equal(value.metadata.name, 'a\ufffdb\ufffd\u{1f600}\\ud800');
  assert.deepEqual(value.metadata.labels, { '\ufffd': 'x' });
});

test('a value that is nested too deep is refused, not crashed on', () => {
  let deep: object = {};
  for (let i = 0; i < 5000; i++) deep = { x: deep };
  assert.throws(() => registry.decode('x.v1.Pod', { metadata: { fieldsV1: deep } }), {
    name: 'DecodeError',
    message: 'exceeded max depth',
  });
});
