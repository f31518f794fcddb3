import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readForwarding, readResolvConf } from './config.ts';

const MACHINE = { upstreams: [{ host: '192.0.2.9', port: 53 }], stubs: new Map() };

test('what the ConfigMap says, and the machine for the rest', () => {
  assert.deepEqual(readForwarding({}, MACHINE), MACHINE);
  const read = readForwarding(
    {
      data: {
        upstreamNameservers: '["8.8.8.8", "[fd00::1]:5353", "10.0.0.1:54"]',
        stubDomains: '{"Corp.Example.": ["10.0.0.2"]}',
      },
    },
    MACHINE,
  );
  assert.deepEqual(read.upstreams, [
    { host: '8.8.8.8', port: 53 },
    { host: 'fd00::1', port: 5353 },
    { host: '10.0.0.1', port: 54 },
  ]);
  assert.deepEqual([...read.stubs], [['corp.example', [{ host: '10.0.0.2', port: 53 }]]]);
});

const BAD: readonly (readonly [key: string, value: string, message: RegExp])[] = [
  ['upstreamNameservers', 'x', /upstreamNameservers is not JSON/],
  ['upstreamNameservers', '{}', /upstreamNameservers is not a list/],
  ['upstreamNameservers', '["ns.example"]', /has no address "ns\.example"/],
  ['upstreamNameservers', '["10.0.0.1:0"]', /has no address/],
  ['upstreamNameservers', '["10.0.0.1:70000"]', /has no address/],
  ['upstreamNameservers', '["1.1.1.1","1.1.1.1","1.1.1.1","1.1.1.1"]', /more than 3 servers/],
  ['stubDomains', '[]', /stubDomains is not an object/],
  ['stubDomains', '{"": ["10.0.0.1"]}', /has no domain/],
  ['stubDomains', '{"a..b": ["10.0.0.1"]}', /has no domain/],
  ['stubDomains', '{"a": "10.0.0.1"}', /stubDomains a is not a list/],
  ['stubDomains', '{"a.b": ["10.0.0.1"], "A.B.": ["10.0.0.2"]}', /stubDomains names A\.B\. twice/],
  ['federations', '{"a": "b"}', /unknown keys: federations/],
  ['upstreamnameservers', '["8.8.8.8"]', /unknown keys: upstreamnameservers/],
  ['Corefile', '.:53 { }', /unknown keys: Corefile/],
  ['__proto__', '{}', /unknown keys: __proto__/],
];

test('what cannot be read is named', () => {
  for (const [key, value, message] of BAD)
    assert.throws(() => readForwarding({ data: Object.fromEntries([[key, value]]) }, MACHINE), message, value);
});

test('of keys that nobody heeds, no other one of the same map is heeded either', () => {
  const data = { upstreamNameservers: '["8.8.8.8"]', other: '' };
  assert.throws(() => readForwarding({ data }, MACHINE), /unknown keys: other/);
  const binaryData = { upstreamNameservers: 'WyI4LjguOC44Il0=' };
  assert.throws(() => readForwarding({ binaryData }, MACHINE), /unknown keys: upstreamNameservers/);
  const { message } = ((): Error => {
    try {
      readForwarding({ data: { ['x'.repeat(9000)]: '' } }, MACHINE);
    } catch (error) {
      return error as Error;
    }
    return new Error('taken');
  })();
  assert.match(message, /^unknown keys: x{100}…$/);
});

test('a resolv.conf as the C library reads it', () => {
  const text =
    '# x\nsearch a b\nnameserver 10.0.0.1\n nameserver fe80::1%eth0\nnameserver nonsense%eth0\nnameserver 1.1.1.1\nnameserver 2.2.2.2\n';
  assert.deepEqual(
    readResolvConf(text).map(({ host }) => host),
    ['10.0.0.1', 'fe80::1%eth0', '1.1.1.1'],
    'an address that each link has is nobody without its link',
  );
});
