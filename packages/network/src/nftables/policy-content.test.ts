/**
 * Random policies in random steps: the lines of every step are ones that the kernel takes, and what they come to is what
 * the policies say, told plainly by `passesPolicies`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { passesPolicies } from '../policy-path.ts';
import type { ForwardedPacket } from '../policy-path.ts';
import type { Allowance, Direction, PolicedPod, PolicyChanges, PolicyRules } from '../policy-rules.ts';
import { PolicyContent, renderPolicyTable } from './policy-content.ts';
import { FilterModel } from './testing/filter-model.ts';

type Draw = <T>(choices: readonly [T, ...T[]]) => T;

const HOSTS = ['10.0.0.1', '10.0.0.2', '10.0.1.3', 'fd00::1', 'fd00::2', '192.0.2.9', 'fd01::9'] as const;
const GROUPS = ['a', 'b', 'c'];
const PLACES = ['p', 'q'];
const POLICIES = ['ns/one', 'ns/two', 'ns/three'];
const DIRECTIONS = ['ingress', 'egress'] as const;
const REF = 'inet t';

function some<T>(draw: Draw, all: readonly T[]): T[] {
  return all.filter(() => draw([true, false]));
}

function drawAllowance(draw: Draw): Allowance {
  const block = draw([
    { range: '10.0.0.7/16', except: ['10.0.1.0/24', '10.0.1.3/32'] },
    { range: '0.0.0.0/0', except: [] },
    { range: '::/0', except: ['fd00::/16'] },
    { range: 'fd00::/8', except: [] },
    { range: '0.0.0.0/0', except: ['0.0.0.0/0'] },
    { range: '172.16.0.0/12', except: ['172.16.0.0/16', 'nonsense'] },
  ]);
  const ranges = [
    { protocol: 'tcp', from: 80, to: 80 },
    { protocol: 'tcp', from: 80, to: 90 },
    { protocol: 'udp', from: 0, to: 65_535 },
    { protocol: 'sctp', from: 9, to: 9 },
  ] as const;
  return {
    ...(draw([true, true, false]) ? { peers: { groups: some(draw, GROUPS), blocks: draw([[], [block]]) } } : {}),
    ...(draw([true, false]) ? { ports: { ranges: some(draw, ranges), destinations: some(draw, PLACES) } } : {}),
  };
}

function drawPolicy(draw: Draw, direction: Direction): PolicyRules {
  return { direction, allowances: Array.from({ length: draw([0, 1, 1, 2]) }, () => drawAllowance(draw)) };
}

function drawPod(draw: Draw): PolicedPod {
  const ids = (direction: Direction): string[] => some(draw, POLICIES).map((id) => `${id}/${direction}`);
  return {
    addresses: some(draw, HOSTS.slice(0, 5)),
    ...(draw([true, true, false]) ? { ingress: ids('ingress') } : {}),
    ...(draw([true, true, false]) ? { egress: ids('egress') } : {}),
  };
}

/** Everything that names something is there at all times: groups and policies are only changed, not taken away. */
function drawStep(draw: Draw, isFirst: boolean): PolicyChanges {
  const chosen = <T>(all: readonly T[]): readonly T[] => (isFirst ? all : some(draw, all));
  const place = (): string => `${draw(HOSTS)} ${draw(['tcp', 'udp'])} ${draw([80, 8080])}`;
  return {
    groups: new Map(chosen(GROUPS).map((id) => [id, new Set(some(draw, HOSTS))])),
    destinations: new Map(chosen(PLACES).map((id) => [id, new Set([place(), place()])])),
    policies: new Map(
      chosen(POLICIES.flatMap((id) => DIRECTIONS.map((direction) => [id, direction] as const))).map(
        ([id, direction]) => [`${id}/${direction}`, drawPolicy(draw, direction)],
      ),
    ),
    pods: new Map(chosen(['x', 'y', 'z']).map((id) => [id, draw([true, true, false]) ? drawPod(draw) : undefined])),
  };
}

function mergeInto<T>(all: Map<string, T>, changes: ReadonlyMap<string, T | undefined>): void {
  for (const [id, value] of changes) {
    if (value === undefined) all.delete(id);
    else all.set(id, value);
  }
}

const emptyState = () => ({
  groups: new Map<string, ReadonlySet<string>>(),
  destinations: new Map<string, ReadonlySet<string>>(),
  policies: new Map<string, PolicyRules>(),
  pods: new Map<string, PolicedPod>(),
});

test('every step comes to what the policies say', () => {
  const seen = { passed: 0, held: 0 };
  for (let seed = 1; seed <= 1500; seed++) {
    const random = createSeededRandom(seed);
    const draw: Draw = (choices) => choices[randomBelow(random, choices.length)] as (typeof choices)[number];
    const model = new FilterModel();
    model.apply(renderPolicyTable(REF));
    const content = new PolicyContent(REF);
    const state = emptyState();
    for (let step = 0; step < 4; step++) {
      const changes = drawStep(draw, step === 0);
      for (const part of ['groups', 'destinations', 'policies', 'pods'] as const)
        mergeInto<never>(state[part] as Map<string, never>, changes[part] as ReadonlyMap<string, never>);
      const { lines, stale } = content.change(changes);
      model.apply(lines);
      // The machine may be late with what goes.
      if (draw([true, false])) model.apply(stale);
      for (let packets = 0; packets < 12; packets++) {
        const source = draw(HOSTS);
        const destination = draw(HOSTS.filter((host) => host.includes(':') === source.includes(':')) as [string]);
        const protocol = draw(['tcp', 'udp', 'sctp', 'other'] as const);
        const packet: ForwardedPacket = { source, destination, protocol, port: draw([80, 85, 9, 8080, 65_535]) };
        const wanted = passesPolicies(state, packet);
        assert.equal(model.passes(packet), wanted, `seed ${seed}, step ${step}: ${JSON.stringify(packet)}`);
        seen[wanted ? 'passed' : 'held']++;
      }
    }
  }
  assert.ok(seen.passed > 10_000 && seen.held > 10_000, JSON.stringify(seen));
});

const ONE = {
  groups: new Map([['a', new Set(['10.0.0.2'])]]),
  destinations: new Map(),
  policies: new Map<string, PolicyRules>([
    ['ns/one/ingress', { direction: 'ingress', allowances: [{ peers: { groups: ['a'], blocks: [] } }] }],
  ]),
  pods: new Map<string, PolicedPod>([['x', { addresses: ['10.0.0.1'], ingress: ['ns/one/ingress'] }]]),
};
const NO_CHANGE: PolicyChanges = { groups: new Map(), destinations: new Map(), policies: new Map(), pods: new Map() };

test('a peer that comes is an element, and so is a pod that the same policies hold back', () => {
  const content = new PolicyContent(REF);
  content.change(ONE);
  const wanted = (lines: readonly string[]): string[] => lines.map((line) => line.split(' ').slice(0, 2).join(' '));
  const peer = content.change({ ...NO_CHANGE, groups: new Map([['a', new Set(['10.0.0.2', '10.0.0.3'])]]) });
  assert.deepEqual(wanted(peer.lines), ['add element']);
  assert.match(peer.lines[0] ?? '', /\{ 10\.0\.0\.3 \}$/);
  const pod = { addresses: ['10.0.0.9'], ingress: ['ns/one/ingress'] };
  const { lines } = content.change({ ...NO_CHANGE, pods: new Map([['y', pod]]) });
  assert.deepEqual(wanted(lines), ['add element', 'add element']);
  assert.deepEqual(content.change({ ...NO_CHANGE, pods: new Map([['y', pod]]) }), { lines: [], stale: [] });
});

test('what goes leaves nothing, and what comes back at once is whole', () => {
  const content = new PolicyContent(REF);
  const model = new FilterModel();
  model.apply(renderPolicyTable(REF));
  const before = model.size;
  model.apply(content.change(ONE).lines);
  const gone: PolicyChanges = {
    groups: new Map([['a', undefined]]),
    destinations: new Map(),
    policies: new Map([['ns/one/ingress', undefined]]),
    pods: new Map([['x', undefined]]),
  };
  const left = content.change(gone);
  model.apply(left.lines);
  model.apply(content.change(ONE).lines);
  assert.equal(model.passes({ source: '10.0.0.2', destination: '10.0.0.1', protocol: 'tcp', port: 1 }), true);
  assert.equal(model.passes({ source: '10.0.0.3', destination: '10.0.0.1', protocol: 'tcp', port: 1 }), false);
  const { lines, stale } = content.change(gone);
  model.apply(lines);
  model.apply(stale);
  assert.deepEqual(model.size, before);
});

test('a policy costs what it says: peers and ports are not paired, and what goes leaves nothing', () => {
  const content = new PolicyContent(REF);
  const model = new FilterModel();
  model.apply(renderPolicyTable(REF));
  const many = Array.from({ length: 2000 }, (_, at) => at);
  const blocks = many.map((at) => ({ range: `172.16.${at >> 8}.${at & 255}/32`, except: [] }));
  const destinations = new Map(many.map((at) => [`p${at}`, new Set([`10.0.0.1 tcp ${at + 1}`])]));
  const allowances = [{ peers: { groups: [], blocks }, ports: { ranges: [], destinations: [...destinations.keys()] } }];
  const policies = new Map<string, PolicyRules>([['ns/one/ingress', { direction: 'ingress', allowances }]]);
  const { lines } = content.change({ ...ONE, destinations, policies });
  assert.ok(lines.length < 20_000, `${lines.length} lines`);
  model.apply(lines);
  const packet = { source: '172.16.7.1', destination: '10.0.0.1', protocol: 'tcp', port: 2000 } as const;
  assert.equal(model.passes(packet), true);
  assert.equal(model.passes({ ...packet, port: 2001 }), false);
  assert.equal(model.passes({ ...packet, source: '172.16.8.1' }), false);
  const { lines: shorter, stale } = content.change({ ...NO_CHANGE, policies: ONE.policies });
  model.apply(shorter);
  model.apply(stale);
  assert.ok(stale.some((line) => line.startsWith('delete chain ')));
  assert.equal(model.passes({ ...packet, source: '10.0.0.2' }), true);
});
