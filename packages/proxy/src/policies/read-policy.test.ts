/** What of a policy means nothing, as one of another version or of a time without its check may: it lets nobody through. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import type { NetworkPolicy } from '@binnacle/api/networking/v1';
import { passesPolicies } from '@binnacle/network/testing';
import { PolicyTable } from './policy-table.ts';
import { readPolicy } from './read-policy.ts';

const ODD = { matchExpressions: [{ key: 'app', operator: 'Sometimes', values: ['a'] }] };
const PEER = '10.0.0.9';

function pod(name: string, ip: string): Pod {
  return {
    metadata: { name, namespace: 'ns', labels: { app: name } },
    spec: { nodeName: 'here', containers: [{ name: 'c', ports: [{ name: 'web', containerPort: 80 }] }] },
    status: { phase: 'Running', podIPs: [{ ip }] },
  } as unknown as Pod;
}

/** What a policy of the pod `a`, 10.0.0.1, lets through from `peer`, 10.0.0.9, with whatever else there is. */
function told(spec: object, others: readonly object[] = []) {
  const table = new PolicyTable('here');
  for (const one of [pod('a', '10.0.0.1'), pod('b', '10.0.0.2'), pod('peer', PEER)]) table.setPod(one);
  table.setNamespace({ metadata: { name: 'ns', labels: {} }, spec: {} });
  const faults = [spec, ...others].flatMap((one, at) =>
    table.setPolicy({ metadata: { name: `p${at}`, namespace: 'ns' }, spec: one } as unknown as NetworkPolicy),
  );
  const state = table.all();
  const passes = (port: number, destination = '10.0.0.1', source = PEER): boolean =>
    passesPolicies(state, { source, destination, protocol: 'tcp', port });
  return { passes, faults };
}

const A = { podSelector: { matchLabels: { app: 'a' } }, policyTypes: ['Ingress'] };
const from = (...peers: readonly object[]): object => ({ ...A, ingress: [{ from: peers }] });
const at = (...ports: readonly object[]): object => ({ ...A, ingress: [{ ports }] });

const CLOSED: readonly (readonly [name: string, spec: object, fault: RegExp])[] = [
  ['a peer by an operator that is none', from({ podSelector: ODD }), /"Sometimes"/],
  ['a peer by namespaces of such', from({ namespaceSelector: ODD }), /"Sometimes"/],
  ['a peer of such in all namespaces', from({ namespaceSelector: {}, podSelector: ODD }), /"Sometimes"/],
  ['a key that is none', from({ podSelector: { matchLabels: { 'a b': 'c' } } }), /^$/],
  ['a range that is none', from({ ipBlock: { cidr: '10.0.0.0/40' } }), /range "10\.0\.0\.0\/40"/],
  ['an exception that is none', from({ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1/16'] } }), /range "10\.1\/16"/],
  [
    'an exception of IPv4 in the dress of IPv6',
    from({ ipBlock: { cidr: '10.0.0.0/8', except: ['::ffff:10.0.0.0/104'] } }),
    /range "::ffff/,
  ],
  [
    'an exception of the other family',
    from({ ipBlock: { cidr: '10.0.0.0/8', except: ['fd00::/8'] } }),
    /another family/,
  ],
  ['a peer that says nothing', from({}), /^$/],
  ['a protocol that is none', at({ protocol: 'ICMP', port: 80 }), /"ICMP"/],
  ['a port that is none', at({ port: 70_000 }), /70000/],
  ['a port 0', at({ port: 0 }), /"port":0/],
  ['an end that is no port', at({ port: 80, endPort: 99_999 }), /99999/],
  ['an end before its beginning', at({ port: 90, endPort: 80 }), /^$/],
];

for (const [name, spec, fault] of CLOSED) {
  test(`${name} lets nobody through, and holds nobody else back`, () => {
    const { passes, faults } = told(spec);
    assert.deepEqual([passes(80), passes(90)], [false, false]);
    assert.equal(passes(80, '10.0.0.2'), true, 'another pod');
    assert.match(faults.join('; '), fault);
  });
}

test('what is beside it in the same policy holds', () => {
  const { passes } = told({
    ...A,
    ingress: [
      {
        from: [{ podSelector: ODD }, { podSelector: { matchLabels: { app: 'peer' } } }],
        ports: [{ port: 80 }, { port: 99_999 }],
      },
    ],
  });
  assert.deepEqual([passes(80), passes(81), passes(80, '10.0.0.1', '10.0.0.2')], [true, false, false]);
});

test('of whom nobody knows whom it bears on, bears on its namespace, and lets nobody in', () => {
  const bad = { podSelector: ODD, policyTypes: ['Ingress', 'Egress'], ingress: [{}], egress: [{}] };
  const { passes, faults } = told(bad);
  assert.deepEqual([passes(80), passes(80, '10.0.0.2'), passes(80, '192.0.2.1', '10.0.0.1')], [false, false, false]);
  assert.match(faults.join(), /"Sometimes"/);
  const { passes: passesBoth } = told({ ...bad, policyTypes: ['Ingress'] }, [from({})]);
  assert.equal(passesBoth(80), false, 'it opens no pod that another one holds back');
});

test('of types that are none, both directions are held back', () => {
  const { passes, faults } = told({ ...A, policyTypes: ['Sideways'] });
  assert.deepEqual([passes(80), passes(80, '192.0.2.1', '10.0.0.1')], [false, false]);
  assert.match(faults.join(), /policy type "Sideways"/);
});

test('names of ports are not paired with peers, and hold whoever the peers are', () => {
  const many = Array.from({ length: 900 }, (_, at) => at);
  const to = [
    ...many.map((at) => ({ podSelector: { matchLabels: { app: `x${at}` } } })),
    { podSelector: A.podSelector },
  ];
  const ports = [...many.map((at) => ({ port: `p${at}` })), { port: 'web' }];
  const spec = { podSelector: { matchLabels: { app: 'peer' } }, policyTypes: ['Egress'], egress: [{ to, ports }] };
  const read = readPolicy({ metadata: { name: 'p', namespace: 'ns' }, spec } as unknown as NetworkPolicy);
  assert.deepEqual([read.ports.size, read.faults], [901, []]);
  const { passes } = told(spec);
  assert.deepEqual([passes(80), passes(80, '10.0.0.2'), passes(81)], [true, false, false]);
});

test('of too many names of ports the first hold, and the others let nobody through', () => {
  const names = Array.from({ length: 1001 }, (_, at) => ({ port: `p${at}` }));
  assert.equal(told(at({ port: 'web' }, ...names)).passes(80), true);
  const { faults, passes } = told(at(...names, { port: 'web' }));
  assert.deepEqual([faults.length, passes(80)], [2, false]);
  assert.match(faults.at(-1) ?? '', /"web": more than 1000/);
});

test('of too many peers of several labels the first hold, and the others let nobody through', () => {
  const peer = {
    podSelector: { matchLabels: { app: 'peer' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] },
  };
  const wide = Array.from({ length: 1000 }, (_, at) => ({
    podSelector: { matchLabels: { app: `x${at}`, tier: 'a' } },
  }));
  const plain = Array.from({ length: 2000 }, (_, at) => ({ podSelector: { matchLabels: { app: `x${at}` } } }));
  const of = (...all: readonly object[]) => told({ ...A, ingress: [{ from: [...all, ...all] }] });
  const held = of(...wide, ...plain, { podSelector: { matchLabels: { app: 'peer' } } });
  assert.deepEqual([held.faults, held.passes(80)], [[], true]);
  const { faults, passes } = of(...wide, peer);
  assert.deepEqual([faults.length, passes(80)], [2, false]);
  assert.match(faults[0] ?? '', /more than 1000/);
});
