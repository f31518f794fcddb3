import { strict as assert } from 'node:assert';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { signDetached } from './detached-signature.ts';

test('a text is signed as JSON Web Signatures have it, without the text itself', () => {
  const text = 'apiVersion: v1\nname: "ü"\n'.repeat(500);
  const [header = '', payload, signature] = signDetached(text, { id: 'abcdef', secret: '0123456789abcdef' }).split('.');
  assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), { alg: 'HS256', kid: 'abcdef' });
  assert.equal(payload, '');
  const expected = createHmac('sha256', '0123456789abcdef')
    .update(`${header}.${Buffer.from(text).toString('base64url')}`)
    .digest('base64url');
  assert.equal(signature, expected);
});
