import { parseGroupVersion } from '@binnacle/machinery';
import type { DiscoveredResource } from '../discovery.ts';

/** From kinds, as owner references name them, to resources. Any version of a group will do: the object is the same. */
export class KindTable {
  readonly #byKind = new Map<string, DiscoveredResource>();

  /** Of groups that are `unknown` now, the kinds that were there before are there. */
  constructor(resources: readonly DiscoveredResource[], unknown: ReadonlySet<string> = new Set(), before?: KindTable) {
    const kept = before === undefined ? [] : [...before.#byKind.values()].filter(({ group }) => unknown.has(group));
    for (const resource of [...kept, ...resources]) this.#byKind.set(`${resource.group}/${resource.kind}`, resource);
  }

  find(apiVersion: string, kind: string): DiscoveredResource | undefined {
    return this.#byKind.get(`${parseGroupVersion(apiVersion).group}/${kind}`);
  }
}
