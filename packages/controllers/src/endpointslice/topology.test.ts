import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { hintNews, wantsZoneHints, withZoneHints } from './topology.ts';
import type { Endpoint, EndpointSlice } from '@binnacle/api/discovery/v1';
import type { HintState } from './topology.ts';

test('who asks for hints: upstream’s two annotations, the old one first', () => {
  const wants = (annotations: { readonly [key: string]: string }): boolean =>
    wantsZoneHints({ metadata: { annotations }, spec: {} });
  const [mode, hints] = ['service.kubernetes.io/topology-mode', 'service.kubernetes.io/topology-aware-hints'];
  assert.deepEqual(
    [{}, { [mode]: 'Auto' }, { [mode]: 'auto' }, { [mode]: 'Disabled' }, { [hints]: 'Auto' }].map(wants),
    [false, true, true, false, true],
  );
  assert.equal(wants({ [mode]: 'Auto', [hints]: 'Disabled' }), false);
});

const of = (...rows: readonly (readonly ['IPv4' | 'IPv6', string | undefined])[]): HintState => new Map(rows);
for (const [name, before, after, expected] of [
  ['begins, told once for two families', undefined, of(['IPv4', undefined], ['IPv6', undefined]), ['enabled, 4']],
  ['goes on', of(['IPv4', undefined]), of(['IPv4', undefined]), []],
  ['refused', undefined, of(['IPv4', 'why']), ['why, 4']],
  ['refused still', of(['IPv4', 'why']), of(['IPv4', 'why']), []],
  ['refused for another reason', of(['IPv4', 'why']), of(['IPv4', 'else']), ['else, 4']],
  ['one of two', of(['IPv4', 'why']), of(['IPv4', 'why'], ['IPv6', undefined]), ['enabled, 6']],
  ['asked for no more', of(['IPv4', undefined], ['IPv6', 'why']), undefined, ['disabled, 4']],
  ['never asked for', undefined, undefined, []],
] as const) {
  test(`what is told: ${name}`, () => {
    const told = hintNews(before, after).map(({ message }) =>
      message.replace('Topology Aware Hints has been ', '').replace('addressType: IPv', ''),
    );
    assert.deepEqual(told, expected);
  });
}

const at = (address: string, zone: string, ready = true): Endpoint => ({
  addresses: [address],
  zone,
  conditions: { ready },
});
const group = (family: 'IPv4' | 'IPv6', ...endpoints: readonly Endpoint[]) => ({
  family,
  ports: [{ port: 80 }],
  endpoints,
});
const slice = (...endpoints: readonly Endpoint[]): EndpointSlice => ({
  metadata: {},
  addressType: 'IPv4',
  ports: [],
  endpoints,
});
const halves = new Map([
  ['a', 0.5],
  ['b', 0.5],
]);
const zonesOf = (groups: readonly { readonly endpoints: readonly Endpoint[] }[]): string =>
  groups.map(({ endpoints }) => endpoints.map((one) => one.hints?.forZones?.[0]?.name ?? '-').join('')).join(' ');

for (const [name, groups, existing, shares, zones, states] of [
  ['each its own zone', [group('IPv4', at('1', 'a'), at('2', 'b'))], [], halves, 'ab', ['IPv4 hinted']],
  [
    'who is not ready has none, and counts for nothing',
    [group('IPv4', at('1', 'a'), at('2', 'b', false), at('3', 'b'))],
    [],
    halves,
    'a-b',
    ['IPv4 hinted'],
  ],
  [
    'one family may have them without the other',
    [group('IPv4', at('1', 'a'), at('2', 'b')), group('IPv6', at('f', 'a'))],
    [],
    halves,
    'ab -',
    ['IPv4 hinted', 'IPv6 Insufficient number of endpoints'],
  ],
  [
    'no shares',
    [group('IPv4', at('1', 'a'), at('2', 'b'))],
    [],
    undefined,
    '--',
    ['IPv4 Insufficient Node information'],
  ],
  [
    'over the groups of a family together',
    [group('IPv4', at('1', 'a')), group('IPv4', at('2', 'b'))],
    [],
    halves,
    'a b',
    ['IPv4 hinted'],
  ],
  [
    'who was for a zone stays',
    [group('IPv4', at('1', 'a'), at('2', 'a'))],
    [slice({ ...at('1', 'a'), hints: { forZones: [{ name: 'b' }] } })],
    halves,
    'ba',
    ['IPv4 hinted'],
  ],
  ['a family without endpoints', [], [], halves, '', ['IPv4 Insufficient number of endpoints']],
] as const) {
  test(`hints by zones: ${name}`, () => {
    const families = states.map((one) => (one.startsWith('IPv4') ? 'IPv4' : 'IPv6'));
    const made = withZoneHints(groups, existing, { families, shares });
    assert.equal(zonesOf(made.groups), zones);
    for (const [i, family] of families.entries())
      assert.ok(`${family} ${made.state.get(family) ?? 'hinted'}`.startsWith(states[i] ?? ''), made.state.get(family));
  });
}
