import { SchedulerConfigError } from '../errors.ts';
import type { EnabledPlugin, ExtensionPoint, PluginFactory, Profile } from '../handle.ts';
import { integer, listOf, objectOf, text } from './strict-fields.ts';
import type { Fields, Read } from './strict-fields.ts';

/** A plugin of a set, and the weight of its score where one is given. */
export interface NamedPlugin {
  readonly name: string;
  readonly weight?: number;
}

/** What is switched on and off at a point; `*` switches everything off. */
export interface PluginSwitch {
  readonly enabled: readonly NamedPlugin[];
  readonly disabled: readonly string[];
}

/** The `plugins` of a profile as written. */
export interface PluginSwitches {
  readonly multiPoint: PluginSwitch;
  readonly points: { readonly [point in ExtensionPoint]?: PluginSwitch };
}

/** The points that a file can name. */
const POINTS: readonly ExtensionPoint[] = [
  'preEnqueue',
  'queueSort',
  'preFilter',
  'filter',
  'postFilter',
  'score',
  'reserve',
  'permit',
  'preBind',
  'bind',
  'postBind',
];
/** Points of upstream that are none here, and what to do instead. */
const OTHER_POINTS: { readonly [point: string]: string } = {
  preScore: 'preScore and score are one point here: switch plugins on and off at score',
  placementGenerate: 'scheduling of pod groups is not supported yet',
  placementScore: 'scheduling of pod groups is not supported yet',
};

const named: Read<NamedPlugin> = objectOf((fields) => {
  const name = fields.need('name', text);
  const weight = fields.take('weight', integer(0, 2 ** 31 - 1));
  return { name, ...(weight === undefined || weight === 0 ? {} : { weight }) };
});

const pluginSwitch: Read<PluginSwitch> = objectOf((fields) => ({
  enabled: fields.take('enabled', listOf(named)) ?? [],
  disabled: (fields.take('disabled', listOf(named)) ?? []).map((p) => p.name),
}));

const NOTHING: PluginSwitch = { enabled: [], disabled: [] };

/** Reads the `plugins` of a profile. */
export const pluginSwitches: Read<PluginSwitches> = objectOf((fields: Fields) => {
  const points: { [point in ExtensionPoint]?: PluginSwitch } = {};
  for (const point of POINTS) {
    const set = fields.take(point, pluginSwitch);
    if (set !== undefined) points[point] = set;
  }
  for (const [point, reason] of Object.entries(OTHER_POINTS)) {
    const set = fields.take(point, pluginSwitch) ?? NOTHING;
    if (set.enabled.length + set.disabled.length > 0) throw new SchedulerConfigError(`${fields.at(point)}: ${reason}`);
  }
  return { multiPoint: fields.take('multiPoint', pluginSwitch) ?? NOTHING, points };
});

/** The plugins that a profile may name, with those that are on by default. */
export interface PluginRegistry {
  readonly defaults: readonly EnabledPlugin[];
  readonly others: readonly PluginFactory[];
}

/** The set of a profile: the default one with what multiPoint takes away, puts in another place or adds. */
function mergeMultiPoint(defaults: readonly EnabledPlugin[], { enabled, disabled }: PluginSwitch): NamedPlugin[] {
  const merged: NamedPlugin[] = [];
  const replaced = new Set<string>();
  if (!disabled.includes('*')) {
    for (const { factory, weight } of defaults) {
      if (disabled.includes(factory.name)) continue;
      const own = enabled.find((p) => p.name === factory.name);
      if (own !== undefined) replaced.add(own.name);
      merged.push(own ?? { name: factory.name, ...(weight === undefined ? {} : { weight }) });
    }
  }
  merged.push(...enabled.filter((p) => !replaced.has(p.name)));
  const names = merged.map((p) => p.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new SchedulerConfigError(`plugin "${twice}" already registered as MultiPoint`);
  return merged;
}

/** The order at one point: what it names again first, then the rest of multiPoint, then what only it names. */
function orderAt(multiPoint: readonly NamedPlugin[], { enabled, disabled }: PluginSwitch): readonly NamedPlugin[] {
  const isNamed = new Set(enabled.map((p) => p.name));
  const everywhere = new Set(multiPoint.map((p) => p.name));
  const isOff = (name: string): boolean => disabled.includes('*') || disabled.includes(name);
  return [
    ...enabled.filter((p) => everywhere.has(p.name) && !isOff(p.name)),
    ...multiPoint.filter((p) => !isNamed.has(p.name) && !isOff(p.name)),
    ...enabled.filter((p) => !everywhere.has(p.name) || isOff(p.name)),
  ];
}

/** A profile as its switches say. Throws SchedulerConfigError for plugins that nobody knows. */
export function profileOf(
  schedulerName: string,
  switches: PluginSwitches,
  { registry, args }: { readonly registry: PluginRegistry; readonly args: ReadonlyMap<string, object> },
): Profile {
  const factories = new Map<string, PluginFactory>(
    [...registry.defaults.map((p) => p.factory), ...registry.others].map((f) => [f.name, f]),
  );
  const multiPoint = mergeMultiPoint(registry.defaults, switches.multiPoint);
  const points: { [point in ExtensionPoint]?: readonly string[] } = {};
  const weights = new Map(multiPoint.map((p) => [p.name, p.weight]));
  for (const point of POINTS) {
    const set = switches.points[point];
    if (set === undefined) {
      points[point] = multiPoint.map((p) => p.name);
      continue;
    }
    points[point] = orderAt(multiPoint, set).map((p) => p.name);
    for (const { name, weight } of set.enabled) {
      if (!weights.has(name) || (point === 'score' && weight !== undefined)) weights.set(name, weight);
    }
  }
  const plugins = [...weights].map(([name, weight]): EnabledPlugin => {
    const factory = factories.get(name);
    if (factory === undefined) throw new SchedulerConfigError(`plugin "${name}" does not exist`);
    const own = args.get(name);
    return { factory, ...(weight === undefined ? {} : { weight }), ...(own === undefined ? {} : { args: own }) };
  });
  return { schedulerName, plugins, points };
}
