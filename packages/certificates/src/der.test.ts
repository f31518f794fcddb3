import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bitString, oid, sequence, tagged, text, time, unsignedInteger } from './der.ts';
import { readElements, readInside } from './der-reader.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test('encodings as the standard writes them', () => {
  const rows: readonly (readonly [string, Uint8Array, string])[] = [
    ['a small integer', unsignedInteger(Uint8Array.of(5)), '020105'],
    ['an integer whose highest bit is set', unsignedInteger(Uint8Array.of(0x80)), '02020080'],
    ['leading zeros go', unsignedInteger(Uint8Array.of(0, 0, 1)), '020101'],
    ['zero', unsignedInteger(Uint8Array.of(0)), '020100'],
    ['an object identifier with long arcs', oid('1.2.840.113549'), '06062a864886f70d'],
    ['printable text', text('a b'), '1303612062'],
    ['other text', text('é'), '0c02c3a9'],
    ['a star is not printable', text('*'), '0c012a'],
    ['bits', bitString(Uint8Array.of(6), 1), '03020106'],
    ['a time', time(Date.UTC(2026, 10, 22, 1, 2, 3)), '170d3236313132323031303230335a'],
    ['an empty sequence', sequence(), '3000'],
  ];
  for (const [name, made, wanted] of rows) assert.equal(hex(made), wanted, name);
});

test('lengths in every form read back', () => {
  for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
    const [element, ...rest] = readElements(tagged(4, new Uint8Array(length)));
    assert.equal(element?.contents.length, length);
    assert.equal(rest.length, 0);
  }
});

test('what is cut off or padded is refused', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['no length', '30'],
    ['longer than the bytes', '3005'],
    ['indefinite', '3080'],
    ['five octets of length', '30850000000001'],
    ['a length in a longer form than needed', '308105'],
    ['two octets where one does', '30820081'],
  ];
  for (const [name, bytes] of rows) assert.throws(() => readElements(Buffer.from(bytes, 'hex')), /DER/, name);
  assert.throws(() => readInside(Buffer.from('05000500', 'hex')), /not one DER element/);
});
