import assert from 'node:assert/strict';
import test from 'node:test';
import { takeBearerProtocol } from './bearer-protocol.ts';

const PREFIX = 'base64url.bearer.authorization.k8s.io.';
const token = `${PREFIX}${Buffer.from('secret-token').toString('base64url')}`;

const ROWS: readonly [name: string, protocols: string, left: string, authorization: string | undefined][] = [
  ['a token and a protocol', `${token}, v4.channel.k8s.io`, 'v4.channel.k8s.io', 'Bearer secret-token'],
  [
    'the token last',
    `v5.channel.k8s.io,v4.channel.k8s.io,${token}`,
    'v5.channel.k8s.io, v4.channel.k8s.io',
    'Bearer secret-token',
  ],
  ['no token', 'v4.channel.k8s.io', 'v4.channel.k8s.io', undefined],
  ['a token alone', token, token, undefined],
  ['two tokens', `${token}, ${token}, x`, `${token}, ${token}, x`, undefined],
  ['no base64', `${PREFIX}a+b, x`, `${PREFIX}a+b, x`, undefined],
];

for (const [name, protocols, left, authorization] of ROWS) {
  test(name, () => {
    const message = {
      headers: { upgrade: 'WebSocket', 'sec-websocket-protocol': protocols } as { [name: string]: string },
      rawHeaders: ['Host', 'h', 'Sec-WebSocket-Protocol', protocols],
    };
    takeBearerProtocol(message);
    assert.equal(message.headers['sec-websocket-protocol'], left);
    assert.equal(message.headers['authorization'], authorization);
    assert.equal(message.rawHeaders.join().includes('bearer'), left.includes('bearer'));
    assert.equal(message.rawHeaders.at(-1), left);
  });
}

test('another upgrade, and a header of its own, stay as they are', () => {
  const spdy = { headers: { upgrade: 'SPDY/3.1', 'sec-websocket-protocol': `${token}, x` }, rawHeaders: [] };
  takeBearerProtocol(spdy);
  assert.equal(spdy.headers['sec-websocket-protocol'], `${token}, x`);
  const both = {
    headers: { upgrade: 'websocket', authorization: 'Bearer own', 'sec-websocket-protocol': `${token}, x` },
    rawHeaders: [],
  };
  takeBearerProtocol(both);
  assert.deepEqual([both.headers.authorization, both.headers['sec-websocket-protocol']], ['Bearer own', 'x']);
});
