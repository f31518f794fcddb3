import type { MaybePromise, PreFilterResult } from '../plan/framework.ts';
import type { Narrowed } from '../plan/decide.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { PluginSet } from '../plan/plugin-set.ts';
import type { Snapshot } from '../plan/snapshot.ts';

/** Nothing said yet. */
const ALL: Narrowed = { names: undefined, by: [] };

export interface PreFilterInput {
  readonly plugins: PluginSet;
  readonly demand: PodDemand;
  readonly snapshot: Snapshot;
}

/** Asks every plugin before any node is looked at, until one refuses the pod. A promise only where one has to wait. */
export function runPreFilters(input: PreFilterInput, from = 0, before = ALL): MaybePromise<Narrowed> {
  const { plugins, demand, snapshot } = input;
  let narrowed = before;
  for (let i = from; i < plugins.preFilter.length; i++) {
    const plugin = plugins.preFilter[i];
    const result = plugin?.preFilter?.(demand, snapshot);
    if (plugin === undefined || result === undefined) continue;
    if (result instanceof Promise) {
      const so = narrowed;
      return result.then((r) => {
        const known = narrow(so, plugin.name, r);
        return known.refusal === undefined ? runPreFilters(input, i + 1, known) : known;
      });
    }
    narrowed = narrow(narrowed, plugin.name, result);
    if (narrowed.refusal !== undefined) return narrowed;
  }
  return narrowed;
}

function narrow(before: Narrowed, plugin: string, result: PreFilterResult | undefined): Narrowed {
  if (result?.refusal !== undefined) return { ...before, refusal: result.refusal };
  const these = result?.nodes;
  if (these === undefined) return before;
  const { names } = before;
  return {
    names: names === undefined ? these : new Set([...these].filter((n) => names.has(n))),
    by: [...before.by, plugin],
  };
}
