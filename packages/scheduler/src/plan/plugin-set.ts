import { assert } from '@binnacle/base';
import type { EnabledPlugin, ExtensionPoint, Handle, Plugin, Profile } from '../framework.ts';

/** A plugin whose score counts. */
export interface Scorer {
  readonly plugin: Plugin;
  readonly weight: number;
}

/** The plugins of one profile, made and sorted by extension point. */
export interface PluginSet {
  readonly schedulerName: string;
  readonly byName: ReadonlyMap<string, Plugin>;
  readonly preEnqueue: readonly Plugin[];
  readonly queueSort: readonly Plugin[];
  readonly preFilter: readonly Plugin[];
  readonly filter: readonly Plugin[];
  readonly postFilter: readonly Plugin[];
  readonly score: readonly Scorer[];
  readonly reserve: readonly Plugin[];
  readonly permit: readonly Plugin[];
  readonly preBind: readonly Plugin[];
  readonly bind: readonly Plugin[];
  readonly postBind: readonly Plugin[];
}

/** Makes the plugins of a profile. */
export function makePlugins(profile: Profile, handle: Handle): PluginSet {
  const byName = new Map<string, Plugin>();
  const weights = new Map<string, number>();
  for (const enabled of profile.plugins) {
    const plugin = make(enabled, handle);
    byName.set(plugin.name, plugin);
    weights.set(plugin.name, enabled.weight ?? 1);
  }
  const at = (point: ExtensionPoint): Plugin[] => {
    const names = profile.points?.[point];
    const chosen =
      names === undefined
        ? [...byName.values()]
        : names.flatMap((name) => {
            const plugin = byName.get(name);
            return plugin === undefined ? [] : [plugin];
          });
    return chosen.filter((plugin) => plugin[point] !== undefined);
  };
  return {
    schedulerName: profile.schedulerName,
    byName,
    preEnqueue: at('preEnqueue'),
    queueSort: at('queueSort'),
    preFilter: at('preFilter'),
    filter: at('filter'),
    postFilter: at('postFilter'),
    score: at('score').map((plugin) => ({ plugin, weight: weights.get(plugin.name) ?? 1 })),
    reserve: at('reserve'),
    permit: at('permit'),
    preBind: at('preBind'),
    bind: at('bind'),
    postBind: at('postBind'),
  };
}

function make({ factory, args }: EnabledPlugin, handle: Handle): Plugin {
  const plugin = factory.create(handle, args);
  assert(plugin.name === factory.name, 'a plugin has the name of its factory', {
    plugin: plugin.name,
    factory: factory.name,
  });
  return plugin;
}
