import { assert } from '@binnacle/base';
import type { EnabledPlugin, ExtensionPoint, Handle, Profile } from '../handle.ts';
import type { Plugin } from '../plan/framework.ts';
import type { PluginSet } from '../plan/plugin-set.ts';
import type { ProfileMeter } from '../plan/profile-meter.ts';
import { measuredPlugin } from './measured-plugin.ts';

/** Makes the plugins of a profile; `meter`: who keeps score of what they are asked. */
export function makePlugins(profile: Profile, handle: Handle, meter?: ProfileMeter): PluginSet {
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
  const measured = new Map<Plugin, Plugin>();
  const seen = (plugin: Plugin): Plugin => {
    if (meter === undefined) return plugin;
    const known = measured.get(plugin) ?? measuredPlugin(plugin, meter);
    measured.set(plugin, known);
    return known;
  };
  return {
    schedulerName: profile.schedulerName,
    byName,
    preEnqueue: at('preEnqueue'),
    queueSort: at('queueSort'),
    preFilter: at('preFilter').map(seen),
    filter: at('filter').map(seen),
    postFilter: at('postFilter'),
    score: at('score').map((plugin) => ({ plugin: seen(plugin), weight: weights.get(plugin.name) ?? 1 })),
    reserve: at('reserve'),
    permit: at('permit'),
    preBind: at('preBind'),
    bind: at('bind'),
    postBind: at('postBind'),
    ...(meter === undefined ? {} : { meter }),
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
