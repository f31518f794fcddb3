import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { endOfToken, signingToken } from './bootstrap-tokens.ts';

for (const [name, expiration, expected] of [
  ['nothing is said', undefined, Number.POSITIVE_INFINITY],
  ['an empty time', '', Number.POSITIVE_INFINITY],
  ['a time', '2026-01-01T01:00:00+01:00', Date.UTC(2026, 0, 1)],
  ['a time with a fraction', '2026-01-01T00:00:00.123456789Z', Date.UTC(2026, 0, 1) + 123],
  ['nonsense', 'tomorrow', Number.NEGATIVE_INFINITY],
  ['no time of any day', '2026-13-01T00:00:00Z', Number.NEGATIVE_INFINITY],
  ['a day that no February has', '2026-02-30T00:00:00Z', Number.NEGATIVE_INFINITY],
  ['an hour that no day has', '2026-01-01T24:00:00Z', Number.NEGATIVE_INFINITY],
] as const) {
  test(`the end of a bootstrap token: ${name}`, () => {
    const data = expiration === undefined ? {} : { expiration: btoa(expiration) };
    assert.equal(endOfToken({ metadata: {}, data }), expected);
  });
}

const ROW = { id: 'abcdef', secret: '0123456789abcdef', usage: 'true', name: 'bootstrap-token-abcdef', end: '' };
for (const [name, change, signs] of [
  ['a token for signing', {}, true],
  ['another id than its name tells', { id: 'fedcba' }, false],
  ['a name that is none', { name: 'token-abcdef' }, false],
  ['no secret', { secret: '' }, false],
  ['not for signing', { usage: 'false' }, false],
  ['ended', { end: '2020-01-01T00:00:00Z' }, false],
] as const) {
  test(`which bootstrap tokens sign: ${name}`, () => {
    const row = { ...ROW, ...change };
    const data = {
      'token-id': btoa(row.id),
      'token-secret': btoa(row.secret),
      'usage-bootstrap-signing': btoa(row.usage),
      expiration: btoa(row.end),
    };
    const token = signingToken({ metadata: { name: row.name }, data }, Date.UTC(2026, 0, 1));
    assert.deepEqual(token, signs ? { id: row.id, secret: row.secret } : undefined);
  });
}
