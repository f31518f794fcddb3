import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { certificatePem, readPemBlocks } from './pem.ts';

const block = (body: string, type = 'CERTIFICATE'): string =>
  `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;
const LONG = block('A'.repeat(64));

/** Go's `pem.Decode`, called until it finds nothing more, says the same of each. */
const ROWS: readonly (readonly [what: string, text: string, found: readonly string[]])[] = [
  ['one block', block('AQI='), ['CERTIFICATE 1,2']],
  ['several, with text between them', `a\n${block('AQI=')}b\n${block('Aw==', 'X Y')}c`, ['CERTIFICATE 1,2', 'X Y 3']],
  ['one without a line feed at its end', block('AQI=').trimEnd(), ['CERTIFICATE 1,2']],
  ['lines of other systems', block('AQI=').replaceAll('\n', '\r\n'), ['CERTIFICATE 1,2']],
  ['contents in short lines with spaces', block('A Q\n\tI ='), ['CERTIFICATE 1,2']],
  ['headers', block('A: b\nC: d\n\nAQI='), ['CERTIFICATE 1,2 headers']],
  ['headers without an end', '-----BEGIN X-----\nA: b\n-----END X-----\n', []],
  ['an empty one', '-----BEGIN X-----\n-----END X-----\n', ['X ']],
  ['of two beginnings the last', `-----BEGIN X-----\n${block('AQI=')}`, ['CERTIFICATE 1,2']],
  ['another end', '-----BEGIN X-----\nAQI=\n-----END Y-----\n', []],
  ['a beginning inside a line', `x${block('AQI=')}`, []],
  ['an end with more behind it', block('AQI=').replace(/\n$/, 'x\n'), []],
  ['what is not base64', block('A*I='), []],
  ['base64 cut short', block('AQI'), []],
  ['a type without dashes', '-----BEGIN X\nAQI=\n-----END X-----\n', []],
  ['no end', '-----BEGIN X-----\nAQI=\n', []],
  ['nothing', '', []],
  ['one that follows a broken one', `${block('*')}${block('AQI=')}`, ['CERTIFICATE 1,2']],
];

describe('blocks of PEM', () => {
  for (const [what, text, found] of ROWS) {
    it(what, () => {
      const read = readPemBlocks(text).map(
        (one) => `${one.type} ${one.bytes.join()}${one.hasHeaders ? ' headers' : ''}`,
      );
      assert.deepEqual(read, found);
    });
  }

  it('a certificate is written as it is read', () => {
    const bytes = Uint8Array.from({ length: 200 }, (_, at) => at);
    const [read] = readPemBlocks(certificatePem(bytes));
    assert.deepEqual(read?.bytes, bytes);
    assert.equal(certificatePem(new Uint8Array(48)), LONG);
  });

  it('hostile texts cost no more than their length', () => {
    const size = 1 << 20;
    const times = (part: string): string => part.repeat(Math.floor(size / part.length));
    // Quadratic, each of them would take minutes.
    for (const part of [
      '\n-----END ',
      '-----BEGIN ',
      '-----BEGIN X-----\n',
      '\n-----END X',
      'a:b\n',
      '\n-----BEGIN X-----\na:b',
    ]) {
      assert.deepEqual(readPemBlocks(times(part)), []);
      assert.deepEqual(readPemBlocks(`${times(part)}\n-----END X-----\n`).length <= 1, true);
    }
  });
});
