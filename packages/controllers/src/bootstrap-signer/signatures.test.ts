import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { signDetached } from '@binnacle/api';
import type { ConfigMap } from '@binnacle/api/core/v1';
import { withSignatures } from './signatures.ts';

const token = (id: string, secret = '0123456789abcdef') => ({ id, secret });
const map = (data?: { readonly [key: string]: string }): ConfigMap => ({
  metadata: { name: 'cluster-info' },
  ...(data === undefined ? {} : { data }),
});
const text = 'apiVersion: v1';
const key = (id: string): string => `jws-kubeconfig-${id}`;
const sign = (id: string, secret?: string): string => signDetached(text, token(id, secret));

for (const [name, info] of [
  ['no data', map()],
  ['no kubeconfig: old signatures stay as upstream leaves them', map({ [key('old')]: 'x' })],
  ['no tokens and no signatures', map({ kubeconfig: text, 'JWS-KUBECONFIG-x': 'other' })],
  ['signed already', map({ kubeconfig: text, [key('a')]: sign('a'), [key('b')]: sign('b') })],
] as const) {
  const tokens = name === 'signed already' ? ['b', 'a'].map((id) => token(id)) : [];
  test(`nothing to write: ${name}`, () => assert.equal(withSignatures(info, tokens), info));
}

for (const [name, before, tokens, expected] of [
  ['the first', {}, [token('a')], { [key('a')]: sign('a') }],
  [
    'an empty kubeconfig is signed too',
    { kubeconfig: '' },
    [token('a')],
    { kubeconfig: '', [key('a')]: signDetached('', token('a')) },
  ],
  ['one goes with its token', { [key('a')]: sign('a') }, [], {}],
  ['another secret', { [key('a')]: sign('a', 'fedcba9876543210') }, [token('a')], { [key('a')]: sign('a') }],
  ['as many as before, of another token', { [key('a')]: sign('a') }, [token('b')], { [key('b')]: sign('b') }],
  ['a token called constructor', {}, [token('constructor')], { [key('constructor')]: sign('constructor') }],
  ['what others wrote stays', { other: 'kept' }, [token('a')], { other: 'kept', [key('a')]: sign('a') }],
] as const)
  test(`signatures: ${name}`, () => {
    const made = withSignatures(map({ kubeconfig: text, ...before }), tokens);
    assert.deepEqual(made, map({ kubeconfig: text, ...expected }));
  });
