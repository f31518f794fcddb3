import assert from 'node:assert/strict';
import { it } from 'node:test';
import { resolvePlain, resolveTagged } from './scalar.ts';

it('keeps a number that is too long for 64 bits as its nearest double, or as text', () => {
  assert.equal(resolvePlain('18446744073709551616'), 18446744073709551616);
  assert.equal(resolvePlain(`0x${'f'.repeat(100_000)}`), `0x${'f'.repeat(100_000)}`);
  assert.equal(resolvePlain('1e999'), '1e999');
  assert.equal(resolvePlain(`${'0'.repeat(100_000)}7`), 7);
});

it('takes leading zeros for octal where every digit is', () => {
  assert.equal(resolvePlain('0777'), 511);
  assert.equal(resolvePlain('0789'), 789);
  assert.equal(resolvePlain('-010'), -8);
});

it('refuses base64 that is none', () => {
  assert.throws(() => resolveTagged('!!binary', '%'), /invalid base64/);
  assert.equal(resolveTagged('tag:yaml.org,2002:int', '010'), 8);
});
