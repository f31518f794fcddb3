import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreeOnProtocol, commandProtocol, namesIn, SPDY_COMMAND_PROTOCOLS } from './protocols.ts';

test('the first wish of the client that is spoken', () => {
  const wished = 'v5.channel.k8s.io, v3.channel.k8s.io,v4.channel.k8s.io';
  assert.deepEqual(agreeOnProtocol(wished, SPDY_COMMAND_PROTOCOLS), { name: 'v3.channel.k8s.io' });
  assert.deepEqual(agreeOnProtocol(' , ', SPDY_COMMAND_PROTOCOLS), { name: '' });
  assert.deepEqual(agreeOnProtocol('x,y', ['a', 'b']), {
    refusal: 'unable to upgrade: unable to negotiate protocol: client supports [x y], server accepts [a b]',
  });
});

test('what a name says', () => {
  const rows: readonly [name: string, version: number, base64: boolean][] = [
    ['v5.channel.k8s.io', 5, false],
    ['v4.base64.channel.k8s.io', 4, true],
    ['base64.channel.k8s.io', 1, true],
    ['channel.k8s.io', 1, false],
    ['', 1, false],
  ];
  for (const [name, version, base64] of rows) assert.deepEqual(commandProtocol(name), { name, version, base64 });
  assert.deepEqual(namesIn(' a, b,,c '), ['a', 'b', 'c']);
});
