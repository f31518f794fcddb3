import type { Plugin } from './framework.ts';
import type { ProfileMeter } from './profile-meter.ts';

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
  /** Who keeps score. Absent: nobody. */
  readonly meter?: ProfileMeter;
}
