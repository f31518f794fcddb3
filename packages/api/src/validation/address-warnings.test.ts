import { deepEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { warnOfCidr, warnOfIp } from './address-warnings.ts';
import { fieldPath } from './path.ts';
import { Warnings } from './warnings.ts';

// Texts: what upstream's API server of v1.36 puts into its Warning headers.
describe('warnings of addresses', () => {
  const rows: [text: string, warn: typeof warnOfIp, told: string[]][] = [
    ['10.0.0.1', warnOfIp, []],
    ['fd00::a', warnOfIp, []],
    ['no address', warnOfIp, []],
    ['010.0.0.1', warnOfIp, ['non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"']],
    ['::ffff:10.0.0.1', warnOfIp, ['non-standard IP address "::ffff:10.0.0.1" is invalid: use "10.0.0.1"']],
    ['FD00::A', warnOfIp, ['IPv6 address "FD00::A" should be in RFC 5952 canonical format ("fd00::a")']],
    ['10.0.0.0/8', warnOfCidr, []],
    [
      '10.0.0.1/8',
      warnOfCidr,
      ['CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)'],
    ],
    ['10.0.0.0/08', warnOfCidr, ['non-standard CIDR value "10.0.0.0/08" is invalid: use "10.0.0.0/8"']],
    ['::ffff:10.0.0.0/104', warnOfCidr, ['non-standard CIDR value "::ffff:10.0.0.0/104" is invalid: use "10.0.0.0/8"']],
    ['FD00::/64', warnOfCidr, ['IPv6 CIDR value "FD00::/64" should be in RFC 5952 canonical format ("fd00::/64")']],
  ];
  for (const [text, warn, told] of rows) {
    it(text, () => {
      const warnings = new Warnings();
      warn(text, fieldPath('spec', 'ip'), warnings);
      deepEqual(
        warnings.texts,
        told.map((one) => `spec.ip: ${one}`),
      );
    });
  }
});
