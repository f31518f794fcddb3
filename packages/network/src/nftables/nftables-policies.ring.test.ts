/** Policies on a real kernel: namespaces for a node, its pods and a client outside, with packets between them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import type { Allowance, PolicyChanges, PolicyRules, PolicyState } from '../policy-rules.ts';
import { NftSession } from './nft-session.ts';
import { NftablesPolicies } from './nftables-policies.ts';
import { toolRunner } from '../machine/run-tool.ts';
import {
  ask,
  askByDatagram,
  CLIENT_NS,
  hears,
  inside,
  makeNamespaces,
  NODE_NS,
  pod,
  removeNamespaces,
  stay,
} from '../testing/namespaces.ts';

/** The kernel follows connections once a table asks for it: on a node that of Services does, before there is a policy. */
function followConnections(): void {
  inside(NODE_NS, 'nft', 'add table ip follow; add chain ip follow c { type filter hook forward priority 0; }');
  inside(NODE_NS, 'nft', 'add rule ip follow c ct state invalid counter');
}

before(async () => {
  await makeNamespaces();
  followConnections();
});
after(removeNamespaces);

const IN_NODE = ['ip', 'netns', 'exec', NODE_NS];
const run = toolRunner(IN_NODE);
const session = new NftSession({ clock: realClock, log: silentLogger, prefix: IN_NODE });
after(() => session.close());
const P2 = ['10.244.0.2', 'fd02::12'];
const P3 = ['10.244.0.3', 'fd02::13'];
const NO_CHANGE: PolicyChanges = { groups: new Map(), destinations: new Map(), policies: new Map(), pods: new Map() };

const ingress = (...allowances: readonly Allowance[]): PolicyRules => ({ direction: 'ingress', allowances });
const egress = (...allowances: readonly Allowance[]): PolicyRules => ({ direction: 'egress', allowances });

/** Pod 2 is held back by one policy. */
function holding(policy: PolicyRules, more: Partial<PolicyState> = {}): PolicyState {
  const pods = new Map([['ns/p2', { addresses: P2, [policy.direction]: ['ns/p'] }]]);
  return { groups: new Map(), destinations: new Map(), policies: new Map([['ns/p', policy]]), pods, ...more };
}

async function withPolicies(state: PolicyState, body: (network: NftablesPolicies) => Promise<void>): Promise<void> {
  const network = new NftablesPolicies({ table: 'binnacle-test-policies', run, log: silentLogger, session });
  await network.replace(state);
  try {
    await body(network);
  } finally {
    await network.remove();
  }
  assert.doesNotMatch(inside(NODE_NS, 'nft', 'list', 'tables'), /binnacle/, 'nothing is left');
}

test('nobody gets in but the node and the pod itself; it gets out, and what is established goes on', async () => {
  const before3 = await stay(pod(3), '10.244.0.2');
  assert.equal(await before3.asks(), true);
  await withPolicies(holding(ingress()), async (network) => {
    await Promise.all([
      hears(ask(pod(3), '10.244.0.2', 8080), 'silence'),
      hears(ask(pod(3), 'fd02::12', 8080), 'silence'),
      hears(ask(CLIENT_NS, '10.244.0.2', 8080), 'silence'),
      hears(askByDatagram(pod(3), '10.244.0.2', 8080), 'silence'),
      hears(ask(NODE_NS, '10.244.0.2', 8080), /^p2 /, 'probes of the kubelet'),
      hears(ask(NODE_NS, 'fd02::12', 8080), /^p2 /),
      hears(ask(pod(2), '10.244.0.2', 8080), /^p2 /, 'itself'),
      hears(ask(pod(2), '10.244.0.3', 8080), /^p3 /, 'out'),
      hears(ask(pod(2), 'fd02::13', 8080), /^p3 /, 'out over IPv6'),
      hears(ask(pod(4), '10.244.0.3', 8080), /^p3 /, 'others'),
    ]);
    assert.equal(await before3.asks(), true, 'a connection from before');
    await network.change({ ...NO_CHANGE, pods: new Map([['ns/p2', undefined]]) });
    await hears(ask(pod(3), '10.244.0.2', 8080), /^p2 /, 'it is not held back any more');
  });
  await before3.end();
});

test('peers by group, who come and go', async () => {
  const groups = new Map([['three', new Set(P3)]]);
  const state = holding(ingress({ peers: { groups: ['three'], blocks: [] } }), { groups });
  await withPolicies(state, async (network) => {
    await Promise.all([
      hears(ask(pod(3), '10.244.0.2', 8080), /^p2 /),
      hears(ask(pod(3), 'fd02::12', 8080), /^p2 /),
      hears(ask(pod(4), '10.244.0.2', 8080), 'silence'),
    ]);
    const moved = new Set(['10.244.0.4', 'fd02::14']);
    await network.change({ ...NO_CHANGE, groups: new Map([['three', moved]]) });
    await Promise.all([
      hears(ask(pod(4), '10.244.0.2', 8080), /^p2 /),
      hears(ask(pod(3), 'fd02::12', 8080), 'silence'),
    ]);
  });
});

test('blocks with exceptions, ports, ranges and names', async () => {
  const ranges = [
    { protocol: 'tcp', from: 8000, to: 8080 },
    { protocol: 'udp', from: 0, to: 65_535 },
  ] as const;
  const block = { range: '192.0.2.77/24', except: ['192.0.2.128/25', '192.0.2.200/32'] };
  const policy = ingress(
    { peers: { groups: [], blocks: [block, { range: '::/0', except: ['fd02::/64'] }] } },
    { peers: { groups: ['three'], blocks: [] }, ports: { ranges, destinations: ['again'] } },
  );
  const groups = new Map([['three', new Set(P3)]]);
  const destinations = new Map([['again', new Set<string>()]]);
  await withPolicies(holding(policy, { groups, destinations }), async (network) => {
    await Promise.all([
      hears(ask(CLIENT_NS, '10.244.0.2', 8080), /^p2 /),
      hears(ask(CLIENT_NS, 'fd02::12', 8080), /^p2 /),
      hears(ask(pod(4), 'fd02::12', 8080), 'silence', 'excepted'),
      hears(ask(pod(3), '10.244.0.2', 8080), /^p2 /),
      hears(askByDatagram(pod(3), '10.244.0.2', 8080), /^p2 /),
    ]);
    const outside = await stay(pod(3), '10.244.0.2');
    assert.equal(await outside.asks(), false, 'a port that has no name yet');
    await outside.end();
    const named = new Map([['again', new Set(['10.244.0.2 tcp 8081', 'fd02::12 tcp 8081'])]]);
    await network.change({ ...NO_CHANGE, destinations: named });
    const inside3 = await stay(pod(3), '10.244.0.2');
    assert.equal(await inside3.asks(), true);
    await inside3.end();
  });
});

test('nobody is reached but who is named, with answers to who asked', async () => {
  const groups = new Map([['three', new Set(P3)]]);
  const ports = { ranges: [{ protocol: 'tcp', from: 8080, to: 8080 }], destinations: [] } as const;
  const state = holding(egress({ peers: { groups: ['three'], blocks: [] }, ports }), { groups });
  await withPolicies(state, async () => {
    await Promise.all([
      hears(ask(pod(2), '10.244.0.3', 8080), /^p3 /),
      hears(askByDatagram(pod(2), '10.244.0.3', 8080), 'silence'),
      hears(ask(pod(2), '10.244.0.4', 8080), 'silence'),
      hears(ask(pod(2), '192.0.2.9', 8080), 'silence', 'the world'),
      hears(ask(pod(4), '10.244.0.2', 8080), /^p2 /, 'it may be asked'),
    ]);
  });
});

test('one lets out, another does not let in', async () => {
  const policies = new Map([
    ['ns/in', ingress()],
    ['ns/out', egress({})],
  ]);
  const pods = new Map([
    ['ns/p2', { addresses: P2, egress: ['ns/out'] }],
    ['ns/p3', { addresses: P3, ingress: ['ns/in'] }],
  ]);
  await withPolicies({ groups: new Map(), destinations: new Map(), policies, pods }, async () => {
    await Promise.all([
      hears(ask(pod(2), '10.244.0.3', 8080), 'silence'),
      hears(ask(pod(2), '10.244.0.4', 8080), /^p4 /),
    ]);
  });
});

test("a stranger's flush is noticed; without policies there is no table", async () => {
  const state = holding(ingress());
  await withPolicies(state, async (network) => {
    assert.equal(await network.isThere(), true);
    inside(NODE_NS, 'nft', 'flush', 'ruleset');
    assert.equal(await network.isThere(), false);
    await network.replace(state);
    await hears(ask(pod(3), '10.244.0.2', 8080), 'silence');
    await network.replace(NO_CHANGE as PolicyState);
    assert.doesNotMatch(inside(NODE_NS, 'nft', 'list', 'tables'), /binnacle/);
    assert.equal(await network.isThere(), true);
    await network.change(state);
    await hears(ask(pod(3), '10.244.0.2', 8080), 'silence');
  });
});

test('a table whose rules were flushed, and which is there still, is noticed: nobody would be held back', async () => {
  const state = holding(ingress());
  await withPolicies(state, async (network) => {
    for (const flushed of [
      ['table', 'inet', 'binnacle-test-policies'],
      ['chain', 'inet', 'binnacle-test-policies', 'egress'],
      ['chain', 'inet', 'binnacle-test-policies', 'ingress'],
    ]) {
      inside(NODE_NS, 'nft', 'flush', ...flushed);
      assert.equal(await network.isThere(), false, flushed.join(' '));
      await network.replace(state);
      assert.equal(await network.isThere(), true);
    }
    await hears(ask(pod(3), '10.244.0.2', 8080), 'silence');
  });
});

test('who goes on speaking to an address by UDP is no acquaintance of the pod that has it next', async () => {
  // A test before this one flushed all that there was.
  followConnections();
  const asked = () => askByDatagram(pod(3), '10.244.0.2', '8080:5533');
  const answered = () => askByDatagram(pod(2), '10.244.0.3', '8080:5534');
  assert.match(await asked(), /^p2 /);
  await withPolicies(holding(ingress()), async (network) => {
    assert.match(await asked(), /^p2 /, 'what is established goes on');
    await network.begin(P2);
    assert.equal(await asked(), 'silence', 'it was with another pod');
  });
  assert.match(await answered(), /^p3 /);
  await withPolicies(holding(egress()), async (network) => {
    assert.match(await answered(), /^p3 /);
    await network.begin(P2);
    assert.equal(await answered(), 'silence', 'likewise what another pod began');
  });
});

test('who goes on speaking by UDP to a peer that is gone does not reach who has its address next', async () => {
  followConnections();
  const groups = new Map([['three', new Set(P3)]]);
  const allowance = { peers: { groups: ['three'], blocks: [] } };
  const gone = { ...NO_CHANGE, groups: new Map([['three', new Set(['10.244.0.4'])]]) };
  const asked = () => askByDatagram(pod(2), '10.244.0.3', '8080:5535');
  await withPolicies(holding(egress(allowance), { groups }), async (network) => {
    assert.match(await asked(), /^p3 /);
    await network.change(gone);
    assert.equal(await asked(), 'silence');
  });
  const told = () => askByDatagram(pod(3), '10.244.0.2', '8080:5536');
  await withPolicies(holding(ingress(allowance), { groups }), async (network) => {
    assert.match(await told(), /^p2 /);
    await network.change(gone);
    assert.equal(await told(), 'silence', 'likewise who is told by it');
  });
});
