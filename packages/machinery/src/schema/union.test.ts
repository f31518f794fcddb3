/** Values that JSON says in several forms, and protobuf as messages: read, checked, written and read again. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sealProtobuf } from './protobuf-encoder.ts';
import { createSchemaRegistry } from './registry.ts';

const object = { type: '#Props', proto: 1 };
const schemas = createSchemaRegistry({
  Props: {
    fields: {
      type: { type: 'string', omitEmpty: true, proto: 1 },
      max: { type: 'int64', omitEmpty: true, pointer: true, proto: 2 },
      items: { type: '#t.v1.OrList', omitEmpty: true, pointer: true, proto: 3 },
      additional: { type: '#OrBool', omitEmpty: true, pointer: true, proto: 4 },
      needs: { type: '{}#OrStrings', omitEmpty: true, proto: 5 },
      present: { type: '#Empty', omitEmpty: true, pointer: true, proto: 6 },
      any: { type: 'JSON', omitEmpty: true, pointer: true, proto: 7 },
    },
  },
  't.v1.OrList': { fields: {}, union: { object, list: { type: '[]#Props', proto: 2 } } },
  OrBool: { fields: {}, union: { bool: { type: 'bool', proto: 1 }, object: { type: '#Props', proto: 2 } } },
  OrStrings: { fields: {}, union: { object, list: { type: '[]string', proto: 2 } } },
  Empty: { fields: {} },
});
const envelope = { apiVersion: 'v1', kind: 'Props' };

const SAME: readonly (readonly [form: string, value: object])[] = [
  ['an object in place of a list', { items: { type: 'string', max: 1 } }],
  ['a list of objects', { items: [{ type: 'a' }, {}, { type: 'b' }] }],
  ['unions in unions', { items: { items: [{ additional: { additional: false } }] } }],
  ['true', { additional: true }],
  ['false', { additional: false }],
  ['an object in place of a boolean', { additional: { type: 'x' } }],
  ['an object that says nothing', { items: {}, additional: {} }],
  ['lists and objects of a map', { needs: { a: ['b', 'c'], constructor: { type: 'x' } } }],
  ['presence alone', { present: {} }],
  ['whatever it is', { any: [null, 1, 'x', { deep: [true] }] }],
];
for (const [form, value] of SAME) {
  test(`${form}: the same from JSON and from protobuf`, () => {
    const text = JSON.stringify(value);
    const read = schemas.decodeJson(text, 'Props', 'Strict');
    assert.deepEqual([JSON.stringify(read.value), read.problems], [text, []]);
    assert.deepEqual(schemas.decode('Props', value).value, value);
    const body = sealProtobuf(envelope, schemas.encodeProtobuf('Props', read.value as object));
    const again = schemas.decodeProtobuf(body, 'Props')?.value as object;
    assert.equal(JSON.stringify(again), JSON.stringify({ ...value }));
  });
}

test('as Go writes it: a boolean beside the object, and a message for what is empty', () => {
  const bytes = (value: object): number[] => [...schemas.encodeProtobuf('Props', value)];
  assert.deepEqual(bytes({ additional: { type: 'x' } }), [0x22, 7, 0x08, 1, 0x12, 3, 0x0a, 1, 0x78]);
  assert.deepEqual(bytes({ additional: false }), [0x22, 2, 0x08, 0]);
  assert.deepEqual(bytes({ present: {} }), [0x32, 0]);
});

test('what is inside is read as silently as Go does: the unknown goes without a word', () => {
  const { value, problems } = schemas.decodeJson(
    '{"items":{"type":"a","foo":1,"items":{"bar":2}},"foo":3}',
    'Props',
    'Strict',
  );
  assert.deepEqual(value, { items: { type: 'a', items: {} } });
  assert.deepEqual(problems, ['unknown field "foo"']);
});

const REFUSED: readonly (readonly [text: string, message: string])[] = [
  ['{"items":5}', 'json: cannot unmarshal number into Go value of type v1.OrList'],
  ['{"additional":"x"}', 'boolean or JSON schema expected'],
  ['{"additional":[]}', 'boolean or JSON schema expected'],
  ['{"items":{"max":"x"}}', 'json: cannot unmarshal string into Go struct field Props.max of type int64'],
  ['{"items":[{"max":1.5}]}', 'json: cannot unmarshal number 1.5 into Go struct field Props.max of type int64'],
  ['{"needs":{"a":[1]}}', 'json: cannot unmarshal number into Go value of type string'],
];
for (const [text, message] of REFUSED) {
  test(`${text} is refused`, () => {
    assert.throws(() => schemas.decodeJson(text, 'Props'), { message });
    assert.throws(() => schemas.decode('Props', JSON.parse(text)), { message });
  });
}

test('messages without an end inside each other', () => {
  let deep = Uint8Array.of(0x0a, 1, 0x78);
  const wrap = (tag: number, inner: Uint8Array): Uint8Array<ArrayBuffer> => {
    const length: number[] = [];
    for (let rest = inner.length; ; rest >>>= 7) {
      if (rest <= 0x7f) {
        length.push(rest);
        break;
      }
      length.push((rest & 0x7f) | 0x80);
    }
    return Uint8Array.from([tag, ...length, ...inner]);
  };
  for (let n = 0; n < 6000; n++) deep = wrap(0x1a, wrap(0x0a, deep));
  assert.throws(() => schemas.decodeProtobuf(sealProtobuf(envelope, deep), 'Props'), { message: 'exceeded max depth' });
});
