import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SchedulerConfigError } from '../errors.ts';
import type { EnabledPlugin, PluginFactory } from '../handle.ts';
import { profileOf } from './plugin-points.ts';
import type { NamedPlugin, PluginSwitch, PluginSwitches } from './plugin-points.ts';

const factory = (name: string): PluginFactory => ({ name, create: () => ({ name }) });
const DEFAULTS: readonly EnabledPlugin[] = [
  { factory: factory('A'), weight: 3 },
  { factory: factory('B') },
  { factory: factory('C'), weight: 2 },
];
const NOTHING: PluginSwitch = { enabled: [], disabled: [] };
const enabled = (...plugins: readonly (string | NamedPlugin)[]): PluginSwitch => ({
  enabled: plugins.map((one) => (typeof one === 'string' ? { name: one } : one)),
  disabled: [],
});
const disabled = (...names: readonly string[]): PluginSwitch => ({ enabled: [], disabled: names });

function profile(switches: Partial<PluginSwitches>, args: readonly (readonly [string, object])[] = []) {
  const registry = { defaults: DEFAULTS, others: [factory('Own')] };
  return profileOf('s', { multiPoint: NOTHING, points: {}, ...switches }, { registry, args: new Map(args) });
}

interface Row {
  readonly name: string;
  readonly switches: Partial<PluginSwitches>;
  /** With their weights. */
  readonly plugins: string;
  readonly score?: string;
}
const ROWS: readonly Row[] = [
  { name: 'nothing is switched', switches: {}, plugins: 'A3 B C2' },
  { name: 'one is off everywhere', switches: { multiPoint: disabled('B') }, plugins: 'A3 C2', score: 'A C' },
  { name: 'all are off everywhere', switches: { multiPoint: disabled('*') }, plugins: '', score: '' },
  {
    name: 'all are off but one',
    switches: { multiPoint: { ...disabled('*'), enabled: [{ name: 'C' }] } },
    plugins: 'C',
    score: 'C',
  },
  {
    name: 'one is added at the end',
    switches: { multiPoint: enabled('Own') },
    plugins: 'A3 B C2 Own',
    score: 'A B C Own',
  },
  {
    name: 'one is replaced in its place, with a weight of its own',
    switches: { multiPoint: enabled({ name: 'A', weight: 9 }) },
    plugins: 'A9 B C2',
  },
  {
    name: 'one is taken away and put at the end',
    switches: { multiPoint: { enabled: [{ name: 'A' }], disabled: ['A'] } },
    plugins: 'B C2 A',
    score: 'B C A',
  },
  { name: 'off at one point alone', switches: { points: { score: disabled('A') } }, plugins: 'A3 B C2', score: 'B C' },
  { name: 'all off at one point', switches: { points: { score: disabled('*') } }, plugins: 'A3 B C2', score: '' },
  {
    name: 'named again at a point: first there',
    switches: { points: { score: enabled('C') } },
    plugins: 'A3 B C2',
    score: 'C A B',
  },
  {
    name: 'named at a point only: last there, and nowhere else',
    switches: { points: { score: enabled({ name: 'Own', weight: 4 }) } },
    plugins: 'A3 B C2 Own4',
    score: 'A B C Own',
  },
  {
    name: 'the weight at score counts',
    switches: { points: { score: enabled({ name: 'A', weight: 8 }) } },
    plugins: 'A8 B C2',
  },
  {
    name: 'a weight at another point does not',
    switches: { points: { filter: enabled({ name: 'A', weight: 8 }) } },
    plugins: 'A3 B C2',
  },
  {
    name: 'taken away and named at one point: after the rest',
    switches: { points: { score: { enabled: [{ name: 'A' }], disabled: ['A'] } } },
    plugins: 'A3 B C2',
    score: 'B C A',
  },
];
for (const row of ROWS)
  test(`plugins of a profile: ${row.name}`, () => {
    const { plugins, points, schedulerName } = profile(row.switches);
    assert.equal(schedulerName, 's');
    assert.equal(plugins.map((one) => `${one.factory.name}${one.weight ?? ''}`).join(' '), row.plugins);
    if (row.score !== undefined) assert.equal(points?.score?.join(' '), row.score);
  });

test('what is named at one point is asked at no other', () => {
  const { points } = profile({ points: { score: enabled('Own') } });
  assert.deepEqual([points?.score?.includes('Own'), points?.filter?.includes('Own')], [true, false]);
});

test('arguments go to the plugin of their name', () => {
  const given = { depth: 1 };
  const { plugins } = profile({}, [['B', given]]);
  assert.deepEqual(
    plugins.map(({ args }) => args),
    [undefined, given, undefined],
  );
});

for (const [name, switches, message] of [
  ['nobody knows it', { multiPoint: enabled('Nobody') }, 'plugin "Nobody" does not exist'],
  ['nobody knows it at a point', { points: { score: enabled('Nobody') } }, 'plugin "Nobody" does not exist'],
  ['it is there twice', { multiPoint: enabled('Own', 'Own') }, 'plugin "Own" already registered as MultiPoint'],
] as const)
  test(`a profile is refused: ${name}`, () => {
    assert.throws(
      () => profile(switches),
      (error: Error) => error instanceof SchedulerConfigError && error.message.includes(message),
    );
  });
