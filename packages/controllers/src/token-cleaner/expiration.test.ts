import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { endOfToken } from './expiration.ts';

for (const [name, expiration, expected] of [
  ['nothing is said', undefined, Number.POSITIVE_INFINITY],
  ['an empty time', '', Number.POSITIVE_INFINITY],
  ['a time', '2026-01-01T01:00:00+01:00', Date.UTC(2026, 0, 1)],
  ['a time with a fraction', '2026-01-01T00:00:00.123456789Z', Date.UTC(2026, 0, 1) + 123],
  ['nonsense', 'tomorrow', Number.NEGATIVE_INFINITY],
  ['no time of any day', '2026-13-01T00:00:00Z', Number.NEGATIVE_INFINITY],
] as const) {
  test(`the end of a bootstrap token: ${name}`, () => {
    const data = expiration === undefined ? {} : { expiration: btoa(expiration) };
    assert.equal(endOfToken({ metadata: {}, data }), expected);
  });
}
