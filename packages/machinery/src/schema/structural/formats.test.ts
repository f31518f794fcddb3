import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hasFormat, isKnownFormat } from './formats.ts';

const ROWS: readonly [format: string, right: readonly string[], wrong: readonly string[]][] = [
  ['byte', ['', 'eA=='], ['x', '===']],
  ['cidr', ['10.0.0.0/8', 'fd00::/64'], ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/08', 'x/1']],
  ['creditcard', ['4111 1111 1111 1111'], ['4111 1111 1111 1112', '1']],
  ['date', ['2026-02-28'], ['2026-02-30', '2026-2-3', 'x']],
  ['date-time', ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5+02:00'], ['2026-01-01', '2026-13-01T00:00:00Z']],
  ['duration', ['1h30m', '0', '1.5s', '3 days'], ['x', '1', '1 parsec']],
  ['email', ['a@b.example'], ['a', '@b', 'a@', 'a b@c']],
  ['hexcolor', ['#fff', 'a1b2c3'], ['#ffff', 'x']],
  ['hostname', ['a', 'a.example.com'], ['', '-a', 'a..b', 'x'.repeat(64)]],
  ['ipv4', ['10.0.0.1'], ['10.0.0.256', '10.0.1', '::1']],
  [
    'ipv6',
    ['::1', 'fd00::1', '1:2:3:4:5:6:7:8', '::ffff:10.0.0.1'],
    [':::', '1:2', '10.0.0.1', '1:2:3:4:5:6:7:8:9', 'g::'],
  ],
  ['isbn', ['978-3-16-148410-0', '0-306-40615-2'], ['978-3-16-148410-1', 'x']],
  ['k8s-long-name', ['a.b'], ['A']],
  ['k8s-short-name', ['a'], ['a.b']],
  ['mac', ['00:1b:63:84:45:e6', '001b.6384.45e6'], ['00:1b', '00:1b-63:84:45:e6']],
  ['rgbcolor', ['rgb(1, 2, 3)'], ['rgb(256,0,0)', 'x']],
  ['ssn', ['111-22-3333'], ['1']],
  ['uri', ['https://x.example/a', '/a', 'urn:x'], ['', 'x', 'a b', 'http://%zz']],
  ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123e4567', 'x']],
  ['uuid4', ['123e4567-e89b-42d3-a456-426614174000'], ['123e4567-e89b-12d3-a456-426614174000']],
  ['nobody-knows', ['anything'], []],
];
for (const [format, right, wrong] of ROWS) {
  it(format, () => {
    for (const text of right) assert.equal(hasFormat(format, text), true, text);
    for (const text of wrong) assert.equal(hasFormat(format, text), false, text);
  });
}

const ALL =
  'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor byte password date duration datetime date-time k8s-short-name k8s-long-name';
const KNOWN: readonly [name: string, type: string, known: readonly string[], unknown: readonly string[]][] = [
  ['of texts', 'string', ALL.split(' '), ['int32', 'x', 'UUID', 'constructor', '__proto__']],
  ['of what has no type', '', ['uuid', 'date-time'], ['int32', 'constructor']],
  ['dashes mean nothing', 'string', ['k8sshortname', 'date--time', '-uuid-'], ['date_time']],
  ['of whole numbers', 'integer', ['int32', 'int64'], ['uint32', 'int-32', 'float', 'uuid']],
  ['of numbers', 'number', ['float', 'double'], ['int32', 'int64']],
  ['of other types', 'object', [], ['int32', 'uuid']],
  ['of a type of a prototype', 'constructor', [], ['name', 'length']],
];
for (const [name, type, known, unknown] of KNOWN)
  it(`formats that are known: ${name}`, () => {
    for (const format of known) assert.equal(isKnownFormat(format, type), true, format);
    for (const format of unknown) assert.equal(isKnownFormat(format, type), false, format);
  });
