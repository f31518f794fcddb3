import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { followPacket } from '../packet-path.ts';
import type { Outcome, Packet, PacketPath } from '../packet-path.ts';
import type { Fate, NodeRules, ServiceRules } from '../rules.ts';
import { walkChain } from '../testing/chain-model.ts';
import type { ChainPacket } from '../testing/chain-model.ts';
import { HERE, serviceRules } from '../testing/service-rules.ts';
import { ChainNames } from './chain-names.ts';
import { IptablesContent } from './iptables-content.ts';
import { entrances, TABLES } from './render-node.ts';
import type { Table } from './render-node.ts';

const names = new ChainNames('T');
const NODE_ADDRESS = '192.0.2.1';
const MACHINE = new Set([NODE_ADDRESS, '127.0.0.1', '10.244.0.1', '203.0.113.6']);
const PODS = ['10.244.0.2', '10.244.0.3', '10.244.1.2'];
const SERVICE_ADDRESSES = ['10.96.0.1', '10.96.0.2', '172.30.0.1'];
const EXTERNAL = ['203.0.113.5', '203.0.113.6'];
const FATES: readonly Fate[] = ['cluster', 'local', 'reject', 'drop'];

const backends = fc
  .subarray(PODS, { minLength: 1 })
  .map((list) => list.map((address) => ({ address, port: 8080, local: address.startsWith('10.244.0.') })));

const service = fc
  .record({
    clusterIP: fc.constantFrom(...SERVICE_ADDRESSES),
    port: fc.constantFrom(80, 81),
    internalFate: fc.constantFrom(...FATES),
    cluster: backends,
    local: backends,
    affinitySeconds: fc.constantFrom(0, 60),
    external: fc.option(
      fc.record({
        addresses: fc.subarray([...EXTERNAL, '10.96.0.2']),
        nodePort: fc.constantFrom(0, 30080, 30081),
        fate: fc.constantFrom(...FATES),
        keepsSource: fc.boolean(),
      }),
    ),
    isWalled: fc.boolean(),
  })
  .map(({ cluster, local, external, isWalled, ...rest }) => ({
    ...rest,
    backends: { cluster, local },
    ...(external === null
      ? {}
      : {
          // Without endpoints anywhere nobody is served, from inside either.
          external: {
            ...external,
            insideFate: external.fate === 'reject' ? ('reject' as const) : ('cluster' as const),
          },
          ...(isWalled
            ? { firewall: { addresses: external.addresses, sources: ['198.51.100.0/24', PODS[0] ?? ''].map(asRange) } }
            : {}),
        }),
  }));

const asRange = (text: string): string => (text.includes('/') ? text : `${text}/32`);

const services = fc
  .array(service, { maxLength: 3 })
  .map((list) =>
    list.map((one, at): ServiceRules => ({ ...one, id: `ns/${'cab'[at]}`, family: 'IPv4', protocol: 'tcp' })),
  );

const node: fc.Arbitrary<NodeRules> = fc.record({
  podRanges: fc.constantFrom([], ['10.244.0.0/16']),
  serviceRanges: fc.constantFrom([], ['10.96.0.0/16']),
  masqueradeAll: fc.boolean(),
  masqueradeBit: fc.constant(14),
});

const packet = fc.record<Packet>({
  source: fc.constantFrom(...PODS, NODE_ADDRESS, '198.51.100.7', '203.0.113.99'),
  destination: fc.constantFrom(...SERVICE_ADDRESSES, '10.96.0.9', ...EXTERNAL, NODE_ADDRESS),
  protocol: fc.constantFrom('tcp', 'udp'),
  port: fc.constantFrom(80, 81, 30080, 30081),
});

/** What the chains come to, in the words of `followPacket`. */
function through(content: ReturnType<IptablesContent['change']>, first: Packet): string[] {
  const { nat, filter, security } = content;
  const chains = { nat: new Map(nat.after), filter: new Map(filter.after), security: new Map(security.after) };
  for (const table of TABLES) for (const [chain, rule] of entrances(names)[table]) chains[table].set(chain, [rule]);
  const from = MACHINE.has(first.source);
  const walk = (table: Table, chain: string, at: ChainPacket) =>
    walkChain({ chains: chains[table], machine: MACHINE }, chain, at);
  const ends = new Set<string>();
  const start: ChainPacket = { ...first, marked: false, rewritten: false };
  for (const { verdict, to = '', marked } of walk('nat', from ? 'OUTPUT' : 'PREROUTING', start)) {
    const [address = '', port = ''] = to.split(':');
    const now = verdict === 'DNAT' ? { ...start, destination: address, port: Number(port), rewritten: true } : start;
    const both = ['filter', 'security'] as const;
    const stops = [
      ...(from ? both.map((table) => [table, 'OUTPUT'] as const) : []),
      ...(MACHINE.has(now.destination) ? [['filter', 'INPUT'] as const] : []),
      ...(MACHINE.has(now.destination) || from ? [] : both.map((table) => [table, 'FORWARD'] as const)),
    ];
    let end = verdict === 'DNAT' ? '' : 'pass';
    for (const [table, stop] of verdict === 'DNAT' ? [] : stops) {
      const [held] = walk(table, stop, now).filter((one) => one.verdict !== 'return');
      if (held !== undefined) end = held.verdict.toLowerCase();
      if (held !== undefined) break;
    }
    if (end === '') {
      const masquerades = walk('nat', 'POSTROUTING', { ...now, marked }).some((one) => one.verdict === 'MASQUERADE');
      end = `${address}${masquerades ? ' masqueraded' : ''}`;
    }
    ends.add(end);
  }
  return [...ends].toSorted();
}

function told(outcome: Outcome): string[] {
  if (outcome.to !== 'backends') return [outcome.to];
  return outcome.backends.map((one) => `${one.address}${outcome.masquerades(one) ? ' masqueraded' : ''}`).toSorted();
}

/** The machine takes a change. */
function take(
  machine: Readonly<Record<Table, Map<string, readonly string[]>>>,
  change: ReturnType<IptablesContent['change']>,
): void {
  for (const table of TABLES) {
    for (const chain of change[table].before.keys()) machine[table].delete(chain);
    for (const [chain, rules] of change[table].after) machine[table].set(chain, rules);
  }
}

test('chains come to what rules say, whatever came and went before', () => {
  fc.assert(
    fc.property(
      node,
      services,
      services,
      fc.array(packet, { minLength: 1, maxLength: 8 }),
      (rules, before, now, packets) => {
        const content = new IptablesContent({ family: 'IPv4', node: rules, names });
        const empty = (): Map<string, readonly string[]> => new Map();
        const machine = { nat: empty(), filter: empty(), security: empty() };
        take(machine, content.change(before.map((one) => [one.id, one])));
        const gone = before.filter(({ id }) => now.every((one) => one.id !== id));
        take(
          machine,
          content.change([
            ...gone.map(({ id }) => [id, undefined] as const),
            ...now.map((one) => [one.id, one] as const),
          ]),
        );
        // All of it, as it is now.
        const whole = new IptablesContent({ family: 'IPv4', node: rules, names }).change(
          now.map((one) => [one.id, one]),
        );
        for (const table of TABLES) assert.deepEqual(machine[table], whole[table].after);
        const path: PacketPath = { node: rules, services: now, addresses: MACHINE };
        for (const one of packets)
          assert.deepEqual(through(whole, one), told(followPacket(path, one)), JSON.stringify(one));
      },
    ),
    { seed: 36, numRuns: 1000 },
  );
});

test('a change names the chains that it concerns, and those that all share', () => {
  const content = new IptablesContent({
    family: 'IPv4',
    node: { podRanges: [], serviceRanges: [], masqueradeAll: false, masqueradeBit: 14 },
    names,
  });
  const rules = (id: string): ServiceRules => serviceRules(id, { backends: { cluster: [HERE], local: [] } });
  const [a, b] = [names.ofService('SVC', 'ns/a'), names.ofService('SVC', 'ns/b')];
  content.change([
    ['ns/a', rules('ns/a')],
    ['ns/b', rules('ns/b')],
  ]);
  const { nat } = content.change([['ns/b', undefined]]);
  assert.equal(nat.before.has(b) && !nat.after.has(b), true);
  assert.equal(nat.before.has(a) || nat.after.has(a), false);
  assert.equal(nat.after.has(names.shared('SERVICES')), true);
});
