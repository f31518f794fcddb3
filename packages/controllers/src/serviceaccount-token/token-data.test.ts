import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Secret } from '@binnacle/api/core/v1';
import { completed, lacksToken } from './token-data.ts';

const account = { metadata: { name: 'robot', uid: 'u' } };
const CA = 'Q0E=';
const WHOLE = { 'ca.crt': CA, namespace: 'bnM=', token: 'b2xk' };
const secret = (data?: Record<string, string>): Secret => ({
  metadata: { name: 's', namespace: 'ns', annotations: { mine: 'kept' } },
  ...(data === undefined ? {} : { data }),
});

const ROWS: readonly [name: string, data: Record<string, string> | undefined, rootCA: string, wanted: object][] = [
  ['nothing is there', undefined, 'CA', { 'ca.crt': CA, namespace: 'bnM=', token: 'bmV3' }],
  ['a token is kept', { token: 'b2xk' }, 'CA', WHOLE],
  ['the empty token is none', { ...WHOLE, token: '' }, 'CA', { ...WHOLE, token: 'bmV3' }],
  ['another authority is replaced', { ...WHOLE, 'ca.crt': 'b3RoZXI=' }, 'CA', WHOLE],
  ['no authority is known', { namespace: 'bnM=' }, '', { namespace: 'bnM=', token: 'bmV3' }],
  [
    'a namespace that somebody wrote is kept',
    { ...WHOLE, namespace: 'eHg=', token: '' },
    'CA',
    { ...WHOLE, namespace: 'eHg=', token: 'bmV3' },
  ],
  ['what else is there is kept', { token: 'b2xk', more: 'eA==' }, 'CA', { ...WHOLE, more: 'eA==' }],
];
for (const [name, data, rootCA, wanted] of ROWS)
  test(`a token's secret: ${name}`, () => {
    const made = completed(secret(data), { rootCA, account }, 'new');
    assert.deepEqual(made.data, wanted);
    assert.deepEqual(made.metadata.annotations, {
      mine: 'kept',
      'kubernetes.io/service-account.name': 'robot',
      'kubernetes.io/service-account.uid': 'u',
    });
  });

test('one that lacks nothing is the very one', () => {
  for (const rootCA of ['CA', '']) {
    const whole = secret(WHOLE);
    assert.equal(completed(whole, { rootCA, account }, 'new'), whole);
  }
});

test('an authority that is no ASCII is written as its bytes', () => {
  assert.equal(completed(secret(), { rootCA: 'é', account }, 'new').data?.['ca.crt'], 'w6k=');
});

test('whether there is a token', () => {
  assert.deepEqual(
    [lacksToken(secret()), lacksToken(secret({ token: '' })), lacksToken(secret(WHOLE))],
    [true, true, false],
  );
});
