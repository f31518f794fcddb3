import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { hintNews, wantsZoneHints } from './topology.ts';
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
