import assert from 'node:assert/strict';
import test from 'node:test';
import { protobufEnvelope, ProtobufEncoder, sealProtobuf } from './protobuf-encoder.ts';
import { openProtobuf, ProtobufDecoder } from './protobuf.ts';
import type { SchemaTable } from './table.ts';

const TABLE: SchemaTable = {
  Tree: {
    fields: {
      kind: { type: 'string' },
      late: { type: 'string', proto: 9 },
      early: { type: 'int32', pointer: true, proto: 1 },
      branches: { type: '[]#Tree', proto: 3 },
      extra: { type: '{}[]string', proto: 4 },
      when: { type: '{}Time', proto: 5 },
      micro: { type: 'MicroTime', proto: 6 },
      one: { type: 'string', proto: 1, protoIn: [7] },
      two: { type: 'bytes', proto: 2, protoIn: [7, 3] },
      raw: { type: 'RawExtension', proto: 8 },
      either: { type: '[]IntOrString', proto: 10 },
      flags: { type: '[]bool', proto: 11 },
      part: { type: 'double', proto: 12 },
      much: { type: 'Quantity', proto: 13 },
    },
  },
};
const encoder = new ProtobufEncoder(TABLE);
const decoder = new ProtobufDecoder(TABLE);

const VALUES: readonly [name: string, value: object][] = [
  ['nothing', {}],
  ['zero is not absent', { early: 0, late: '' }],
  ['a struct in itself', { branches: [{ late: 'a', branches: [{ early: -1 }] }, {}] }],
  ['lists in maps', { extra: { a: ['x', ''], b: [] } }],
  ['times in maps, one of them none', { when: { a: '2026-01-01T00:00:00Z', b: null } }],
  ['microseconds', { micro: '1969-12-31T23:59:59.000123Z' }],
  ['embedded, two deep', { one: 'x', two: 'AQID/w==' }],
  ['raw JSON', { raw: { b: 1, a: [null] } }],
  ['number or text', { either: [80, '80%', -1] }],
  ['the other leaves', { flags: [true, false], part: 0.5, much: '100m' }],
];
for (const [name, value] of VALUES) {
  test(`there and back: ${name}`, () =>
    assert.equal(JSON.stringify(decoder.read('Tree', encoder.write('Tree', value))), JSON.stringify(sorted(value))));
}

/** Fields in the order of their numbers, as they come back. */
function sorted(value: object): object {
  const order = (name: string): number => {
    const field = TABLE['Tree']?.fields[name];
    return field?.protoIn?.[0] ?? field?.proto ?? 0;
  };
  const entries = Object.entries(value).map(
    ([name, item]) => [name, name === 'branches' ? (item as object[]).map(sorted) : (item as unknown)] as const,
  );
  return Object.fromEntries(entries.sort(([a], [b]) => order(a) - order(b)));
}

test('fields go in the order of their numbers, maps in that of their keys', () => {
  assert.deepEqual([...encoder.write('Tree', { late: 'b', early: 1 })], [0x08, 1, 0x4a, 1, 98]);
  const map = encoder.write('Tree', { extra: { b: [], a: [] } });
  assert.deepEqual([...map], [0x22, 5, 0x0a, 1, 97, 0x12, 0, 0x22, 5, 0x0a, 1, 98, 0x12, 0]);
});

test('an envelope in one piece and in three is the same', () => {
  const type = { apiVersion: 'apps/v1', kind: 'Deployment' };
  const message = new Uint8Array(300).fill(7);
  const whole = sealProtobuf(type, message);
  const { head, tail } = protobufEnvelope(type, message.length);
  assert.deepEqual([...head, ...message, ...tail], [...whole]);
  assert.deepEqual(openProtobuf(whole), { ...type, message: new Uint8Array(message) });
});

test('JSON inside a message is escaped as Go escapes it', () => {
  const text = new TextDecoder().decode(encoder.write('Tree', { raw: { 'a<': 'b && c>\u2028' } }).subarray(4));
  assert.equal(text, String.raw`{"a\u003c":"b \u0026\u0026 c\u003e\u2028"}`);
});
