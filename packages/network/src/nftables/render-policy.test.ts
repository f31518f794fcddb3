import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Allowance } from '../policy-rules.ts';
import { renderPolicy } from './render-policy.ts';

const block = (range: string, ...except: readonly string[]) => ({ range, except });
const blocks = (count: number) => Array.from({ length: count }, (_, at) => block(`10.0.${at}.0/24`));
const range = (protocol: 'tcp' | 'udp' | 'sctp', from: number, to = from) => ({ protocol, from, to });
const [TCP, UDP, SCTP] = [range('tcp', 80), range('udp', 53), range('sctp', 0, 65_535)];
const PORTS = ['tcp dport { 80 } accept', 'udp dport { 53 } accept', 'meta l4proto sctp accept'];

const ROWS: readonly (readonly [name: string, allowance: Allowance, chains: readonly (readonly string[])[]])[] = [
  ['anybody, anything', {}, [['accept']]],
  ['nobody', { peers: { groups: [], blocks: [] } }, [[]]],
  [
    'a block without some of it',
    { peers: { groups: [], blocks: [block('10.0.0.0/8', '10.1.0.0/16', '10.1.2.0/24', 'fd00::/8')] } },
    [['ip saddr 10.0.0.0/8 ip saddr != { 10.1.0.0/16 } accept']],
  ],
  ['a block of which nothing is left', { peers: { groups: [], blocks: [block('::/0', '::/0')] } }, [[]]],
  [
    'few peers, each with its ports',
    { peers: { groups: [], blocks: blocks(2) }, ports: { ranges: [TCP], destinations: [] } },
    [['ip saddr 10.0.0.0/24 tcp dport { 80 } accept', 'ip saddr 10.0.1.0/24 tcp dport { 80 } accept']],
  ],
  [
    'many peers: the ports are a chain of their own',
    { peers: { groups: [], blocks: blocks(9) }, ports: { ranges: [SCTP, UDP, TCP], destinations: [] } },
    [blocks(9).map((one) => `ip saddr ${one.range} jump p-0`), PORTS],
  ],
];

for (const [name, allowance, chains] of ROWS) {
  test(`as rules: ${name}`, () => {
    const rendered = renderPolicy({ direction: 'ingress', allowances: [allowance] }, 'p');
    assert.deepEqual(
      [...rendered],
      chains.map((rules, at) => [at === 0 ? 'p' : `p-${at - 1}`, rules]),
    );
  });
}
