import assert from 'node:assert/strict';
import test from 'node:test';
import { readLeaf } from './proto-leaves.ts';
import { ProtoReader } from './proto-reader.ts';

/** Reads field 1 of a message that holds nothing else. */
function read(type: string, ...bytes: number[]): unknown {
  const reader = new ProtoReader(Uint8Array.from(bytes));
  assert.ok(reader.next());
  return readLeaf(type, reader);
}

const LEAVES: [type: string, bytes: number[], value: unknown][] = [
  ['string', [0x0a, 1, 97], 'a'],
  ['bool', [0x08, 1], true],
  ['int32', [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], -1],
  ['int64', [0x08, 0x96, 1], 150],
  ['double', [0x09, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f], 0.5],
  ['bytes', [0x0a, 0], ''],
  ['bytes', [0x0a, 1, 104], 'aA=='],
  ['bytes', [0x0a, 2, 104, 105], 'aGk='],
  ['bytes', [0x0a, 3, 255, 254, 253], '//79'],
  ['Time', [0x0a, 4, 0x08, 60, 0x10, 0], '1970-01-01T00:01:00Z'],
  ['MicroTime', [0x0a, 5, 0x08, 60, 0x10, 0xd0, 0x0f], '1970-01-01T00:01:00.000002Z'],
  ['IntOrString', [0x0a, 4, 0x08, 0, 0x10, 80], 80],
  ['IntOrString', [0x0a, 7, 0x08, 1, 0x10, 0, 0x1a, 1, 97], 'a'],
  ['Quantity', [0x0a, 3, 0x0a, 1, 53], '5'],
  ['Quantity', [0x0a, 0], '0'],
  ['FieldsV1', [0x0a, 4, 0x0a, 2, 123, 125], {}],
  ['RawExtension', [0x0a, 0], null],
];
for (const [type, bytes, value] of LEAVES) {
  test(`${type} ${JSON.stringify(value)}`, () => assert.deepEqual(read(type, ...bytes), value));
}

test('a time that no calendar has is refused', () => {
  const far = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
  assert.throws(() => read('Time', 0x0a, far.length, ...far), { code: 'decode' });
});
