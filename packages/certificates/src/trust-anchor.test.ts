import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bitString, boolean, octetString, oid, sequence, set, tagged, text, time, unsignedInteger } from './der.ts';
import { CertificateError } from './errors.ts';
import { readAuthority } from './trust-anchor.ts';

const ALGORITHM = sequence(oid('1.2.840.10045.4.3.2'));
const NAME = sequence(set(sequence(oid('2.5.4.3'), text('ca'))));
const VALIDITY = sequence(time(0), time(1000));
const KEY = sequence(ALGORITHM, bitString(Uint8Array.of(4)));
const number = (value: number): Uint8Array => unsignedInteger(Uint8Array.of(value));
const extensions = (...list: readonly Uint8Array[]): Uint8Array => tagged(0xa3, sequence(...list));
const constraints = (...parts: readonly Uint8Array[]): Uint8Array =>
  sequence(oid('2.5.29.19'), boolean(true), octetString(sequence(...parts)));
const CA = extensions(constraints(boolean(true)));

interface Parts {
  readonly version?: readonly Uint8Array[];
  readonly inner?: Uint8Array;
  readonly issuer?: Uint8Array;
  readonly validity?: Uint8Array;
  readonly key?: Uint8Array;
  readonly rest?: readonly Uint8Array[];
  readonly after?: readonly Uint8Array[];
}

function certificate(parts: Parts = {}): Uint8Array {
  const { version = [tagged(0xa0, number(2))], inner = ALGORITHM, issuer = NAME, validity = VALIDITY } = parts;
  const { key = KEY, rest = [CA], after = [] } = parts;
  const toBeSigned = sequence(...version, number(7), inner, issuer, validity, NAME, key, ...rest);
  return sequence(toBeSigned, ALGORITHM, bitString(Uint8Array.of(1, 2)), ...after);
}

/** Undefined: it is no certificate. */
const ROWS: readonly (readonly [what: string, der: Uint8Array, isAuthority: boolean | undefined])[] = [
  ['an authority', certificate(), true],
  ['one with a bound of its chain', certificate({ rest: [extensions(constraints(boolean(true), number(0)))] }), true],
  ['one whose name is empty', certificate({ issuer: sequence() }), true],
  ['a leaf', certificate({ rest: [extensions(constraints())] }), false],
  ['a leaf that says so', certificate({ rest: [extensions(constraints(boolean(false)))] }), false],
  ['without constraints', certificate({ rest: [] }), false],
  ['of the first version', certificate({ version: [], rest: [] }), false],
  ['extensions of the first version', certificate({ version: [] }), undefined],
  ['a version that is none', certificate({ version: [tagged(0xa0, number(3))] }), undefined],
  [
    'an extension that comes twice',
    certificate({ rest: [extensions(constraints(boolean(true)), constraints())] }),
    undefined,
  ],
  ['two algorithms', certificate({ inner: sequence(oid('1.2.3')) }), undefined],
  ['a name that is none', certificate({ issuer: sequence(number(1)) }), undefined],
  ['one time', certificate({ validity: sequence(time(0)) }), undefined],
  ['a time that is none', certificate({ validity: sequence(time(0), tagged(0x17, Uint8Array.of(65))) }), undefined],
  ['a key without bits', certificate({ key: sequence(ALGORITHM) }), undefined],
  ['something behind it', certificate({ after: [number(1)] }), undefined],
  ['nothing', new Uint8Array(), undefined],
  ['a number', number(1), undefined],
];

describe('whether a certificate is an authority’s', () => {
  for (const [what, der, isAuthority] of ROWS) {
    it(what, () => {
      if (isAuthority === undefined) assert.throws(() => readAuthority(der), CertificateError);
      else assert.equal(readAuthority(der), isAuthority);
    });
  }

  it('every beginning of one is refused, and no byte changed in it fails otherwise', () => {
    const whole = certificate();
    for (let length = 0; length < whole.length; length++) {
      assert.throws(() => readAuthority(whole.subarray(0, length)), CertificateError);
      for (const byte of [0, 0x30, 0x80, 0xff]) {
        const changed = whole.with(length, byte);
        try {
          readAuthority(changed);
        } catch (error) {
          assert.ok(error instanceof CertificateError, String(error));
        }
      }
    }
  });
});
