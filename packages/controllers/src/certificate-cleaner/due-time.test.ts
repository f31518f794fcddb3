import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { formatTime } from '@binnacle/base';
import type { CertificateSigningRequest } from '@binnacle/api/certificates/v1';
import { dueTimeOf } from './due-time.ts';

const HOUR = 3_600_000;
const MADE = Date.parse('2026-01-01T00:00:00Z');
const JUDGED = MADE + HOUR;

for (const [name, types, certificate, expected] of [
  ['nobody has judged', [], undefined, MADE + 24 * HOUR],
  ['denied', ['Denied'], undefined, JUDGED + HOUR],
  ['failed', ['Approved', 'Failed'], undefined, JUDGED + HOUR],
  ['signed', ['Approved'], 'bm8=', JUDGED + HOUR],
  ['signed, with what is no base64', ['Approved'], '?', JUDGED + HOUR],
  ['approved and not signed', ['Approved'], undefined, JUDGED + 24 * HOUR],
  ['something else is said', ['Other'], undefined, Number.POSITIVE_INFINITY],
] as const) {
  test(`a request is of no use any more: ${name}`, () => {
    const request: CertificateSigningRequest = {
      metadata: { name: 'r', creationTimestamp: formatTime(MADE) },
      spec: { request: '', signerName: 's' },
      status: {
        conditions: types.map((type) => ({ type, status: 'True' as const, lastUpdateTime: formatTime(JUDGED) })),
        ...(certificate === undefined ? {} : { certificate }),
      },
    };
    assert.equal(dueTimeOf(request), expected);
  });
}
