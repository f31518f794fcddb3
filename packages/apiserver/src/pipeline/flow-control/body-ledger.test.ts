import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyLedger } from './body-ledger.ts';

const MIB = 1 << 20;

test('one user has a bound of their own; others go on', () => {
  const ledger = new BodyLedger();
  const noisy = Array.from({ length: 48 }, () => ledger.open('noisy'));
  for (const account of noisy) account.take(2 * MIB);
  assert.throws(() => ledger.open('noisy').take(MIB), /Too many bytes in request bodies/);
  ledger.open('quiet').take(MIB);
});

test('what is closed is given back, once', () => {
  const ledger = new BodyLedger();
  const account = ledger.open('u');
  account.take(5);
  account.take(6);
  assert.equal(ledger.bytes, 11);
  account.close();
  account.close();
  assert.equal(ledger.bytes, 0);
});

test('all together have a bound', () => {
  const ledger = new BodyLedger();
  for (let n = 0; n < 4; n++) ledger.open(`u${n}`).take(96 * MIB);
  assert.throws(() => ledger.open('one more').take(MIB), /Too many bytes/);
});
