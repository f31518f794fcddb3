import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDocument } from '../json-text.ts';
import { createSchemaRegistry } from '../registry.ts';
import type { SchemaTable } from '../table.ts';
import { applyDefaults } from './defaults.ts';
import { topNode } from './node.ts';
import type { SchemaProps } from './props.ts';

const text = { type: 'string' };
const PROPS: SchemaProps = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        name: text,
        size: { type: 'integer', default: 3 },
        maybe: { ...text, nullable: true },
        port: { 'x-kubernetes-int-or-string': true },
        list: {
          type: 'array',
          items: { type: 'object', properties: { a: text, on: { type: 'boolean', default: true } } },
        },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { a: text } } },
        any: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: { a: text } } },
        },
        pod: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
        deep: { type: 'object', default: { a: 'x' }, properties: { a: text, b: { ...text, default: 'y' } } },
      },
    },
  },
};
const META = {
  name: { type: 'string', omitEmpty: true },
  generation: { type: 'int64', omitEmpty: true },
  labels: { type: '{}string', omitEmpty: true },
} as const;
const TABLE: SchemaTable = {
  'x.v1.Custom': {
    fields: {
      apiVersion: { type: 'string', omitEmpty: true },
      kind: { type: 'string', omitEmpty: true },
      metadata: { type: '#meta.v1.ObjectMeta', omitEmpty: true },
    },
    structural: PROPS,
  },
  'meta.v1.ObjectMeta': { fields: META },
};
const registry = createSchemaRegistry(TABLE);
const decode = (object: unknown): { value: unknown; problems: readonly string[] } =>
  registry.decodeJson(JSON.stringify(object), 'x.v1.Custom', 'Strict');
const spec = (fields: object): object => ({ spec: fields });

describe('a custom kind is pruned by its schema', () => {
  const rows: [name: string, given: object, kept: object, ...problems: string[]][] = [
    [
      'what it knows stays as it is, nulls too',
      spec({ name: 'x', maybe: null, port: '80', size: 1.5 }),
      spec({ name: 'x', maybe: null, port: '80', size: 1.5 }),
    ],
    [
      'what it does not know goes',
      { spec: { other: { a: 1 } }, more: 1 },
      { spec: {} },
      'unknown field "more"',
      'unknown field "spec.other"',
    ],
    ['lists', spec({ list: [{ a: 'x', b: 1 }, 2] }), spec({ list: [{ a: 'x' }, 2] }), 'unknown field "spec.list[0].b"'],
    [
      'maps',
      spec({ map: { x: { a: 'y', b: 1 }, constructor: { a: 'z' } } }),
      spec({ map: { x: { a: 'y' }, constructor: { a: 'z' } } }),
      'unknown field "spec.map.x.b"',
    ],
    [
      'unknown ones that are to stay',
      spec({ any: { x: { y: [1] }, known: { a: 'x', b: 1 } } }),
      spec({ any: { x: { y: [1] }, known: { a: 'x' } } }),
      'unknown field "spec.any.known.b"',
    ],
    [
      'an object inside of it',
      spec({ pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', foo: 1 }, spec: {}, status: {} } }),
      spec({ pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: {} } }),
      'unknown field "spec.pod.status"',
      'unknown field "spec.pod.metadata.foo"',
    ],
    [
      'its metadata follow the rules of all',
      { kind: 'Custom', metadata: { name: 'x', labels: {}, foo: 1 } },
      { kind: 'Custom', metadata: { name: 'x' } },
      'unknown field "metadata.foo"',
    ],
  ];
  for (const [name, given, kept, ...problems] of rows) {
    it(name, () => {
      const { value, problems: found } = decode(given);
      assert.equal(JSON.stringify(value), JSON.stringify(kept));
      assert.deepEqual(found, problems);
      assert.equal(JSON.stringify(registry.decode('x.v1.Custom', given).value), JSON.stringify(kept));
    });
  }

  it('repeated fields are told, and long numbers keep their digits', () => {
    const { value, problems } = registry.decodeJson(
      '{"spec":{"size":9223372036854775807,"name":"a","name":"b"}}',
      'x.v1.Custom',
      'Strict',
    );
    assert.equal(JSON.stringify(value), '{"spec":{"size":9223372036854775807,"name":"b"}}');
    assert.deepEqual(problems, ['duplicate field "spec.name"']);
  });

  it('numbers are doubles where they are no integers, in metadata too', () => {
    const kept = '{"metadata":{"generation":2},"spec":{"size":1,"any":[1000,0.1,9007199254740993]}}';
    const text = kept.replace('2}', '2.0}').replace('1,', '1.0,').replace('1000', '1e3').replace('0.1,', '0.10,');
    const { value } = registry.decodeJson(text, 'x.v1.Custom', 'Strict');
    assert.equal(JSON.stringify(value), kept);
    const patched = registry.decode('x.v1.Custom', parseDocument(text, 'written'));
    assert.equal(JSON.stringify(patched.value), kept);
  });

  it('no number is larger than a double', () => {
    for (const text of ['{"spec":{"size":1e400}}', '{"spec":{"any":{"x":[-1e400]}}}']) {
      const message = /^json: cannot unmarshal number -?1e400 into Go value of type float64$/;
      assert.throws(() => registry.decodeJson(text, 'x.v1.Custom'), { name: 'DecodeError', message });
      const document = parseDocument(text, 'written');
      assert.throws(() => registry.decode('x.v1.Custom', document), { name: 'DecodeError', message });
    }
  });

  // As customresource_handler.go v1.36 puts it together: the text's decoder, ObjectMeta's, pruning, embedded metadata.
  it('what is wrong is told once each, as one decoder after the other comes to it', () => {
    const { problems } = registry.decodeJson(
      '{"z":1,"a":1,"spec":{"no":{"x":1}},"spec":{"y":1,"y":2,"name":"a","name":"b","pod":{"metadata":{"q":1}}},"metadata":{"s":1,"r":1,"r":2}}',
      'x.v1.Custom',
      'Strict',
    );
    assert.deepEqual(problems, [
      'duplicate field "spec"',
      'duplicate field "spec.y"',
      'duplicate field "spec.name"',
      'duplicate field "metadata.r"',
      'unknown field "metadata.r"',
      'unknown field "metadata.s"',
      'unknown field "a"',
      'unknown field "spec.y"',
      'unknown field "z"',
      'unknown field "spec.pod.metadata.q"',
    ]);
  });

  it('metadata that do not fit are refused', () => {
    assert.throws(() => decode({ metadata: { name: 1 } }), {
      message: 'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
    });
    assert.throws(() => decode({ kind: [] }), { message: 'json: cannot unmarshal array into Go value of type string' });
    assert.throws(() => decode([]), { name: 'DecodeError' });
  });

  it('nothing touches a prototype', () => {
    const { value } = registry.decodeJson<{ spec: { any: object } }>(
      '{"spec":{"any":{"__proto__":{"x":1}}}}',
      'x.v1.Custom',
    );
    assert.equal(JSON.stringify(value), '{"spec":{"any":{"__proto__":{"x":1}}}}');
    assert.equal((value.spec.any as { x?: number }).x, undefined);
  });
});

describe('a custom kind is defaulted by its schema', () => {
  const rows: [name: string, given: object, defaulted: object][] = [
    ['what is missing', spec({}), spec({ size: 3, deep: { a: 'x', b: 'y' } })],
    ['a null that may not be', spec({ size: null, name: null, deep: {} }), spec({ size: 3, deep: { b: 'y' } })],
    ['a null that may be', spec({ maybe: null, size: 1, deep: {} }), spec({ maybe: null, size: 1, deep: { b: 'y' } })],
    [
      'items',
      spec({ size: 1, deep: {}, list: [{}, { on: false }] }),
      spec({ size: 1, deep: { b: 'y' }, list: [{ on: true }, { on: false }] }),
    ],
    ['nothing where nothing is', {}, {}],
  ];
  for (const [name, given, defaulted] of rows) {
    it(name, () => {
      const object = structuredClone(given);
      applyDefaults(object, topNode(PROPS));
      assert.deepEqual(object, defaulted);
      applyDefaults(object, topNode(PROPS));
      assert.deepEqual(object, defaulted);
    });
  }

  it('with all digits of a number that no double holds', () => {
    const { default: given } = parseDocument('{"default":{"a":9007199254740993}}') as { default: unknown };
    const object = {};
    applyDefaults(object, topNode({ type: 'object', properties: { large: { type: 'object', default: given } } }));
    assert.equal(JSON.stringify(object), '{"large":{"a":9007199254740993}}');
  });

  for (const [what, given] of [
    ['values', Array.from({ length: 1000 }, () => 1)],
    ['characters', 'x'.repeat(100_000)],
  ] as const) {
    it(`but not more ${what} than an object may hold, whatever each item asks for`, () => {
      const items: SchemaProps = { type: 'object', properties: { large: { default: given } } };
      const props: SchemaProps = { type: 'object', properties: { list: { type: 'array', items } } };
      const object = (length: number): object => ({ list: Array.from({ length }, () => ({})) });
      applyDefaults(object(50), topNode(props));
      assert.throws(() => applyDefaults(object(200), topNode(props)), { httpCode: 413 });
    });
  }

  it('two objects share no default', () => {
    const [one, two] = [spec({}), spec({})] as { spec: { deep?: { a: string } } }[];
    applyDefaults(one, topNode(PROPS));
    applyDefaults(two, topNode(PROPS));
    assert.notEqual(one?.spec.deep, two?.spec.deep);
  });
});
