import type { Service } from '@binnacle/api/core/v1';
import type { Endpoint, EndpointSlice } from '@binnacle/api/discovery/v1';
import { endpointKey } from '../slice-plan.ts';
import type { SliceFamily, SliceGroup } from '../slice-plan.ts';
import { decideZoneHints } from './zone-hints.ts';

const ANNOTATION_TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';
/** Its old name, which comes first. */
const ANNOTATION_TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';

/** What has to be told about a service's hints. */
export interface HintNews {
  readonly type: 'Normal' | 'Warning';
  readonly reason: 'TopologyAwareHintsEnabled' | 'TopologyAwareHintsDisabled';
  readonly message: string;
}

/** How each family of a service fares: why it has no hints, or undefined when it has. */
export type HintState = ReadonlyMap<SliceFamily, string | undefined>;

/** Whether the service asks for hints by the proportion of zones. It then has no others. */
export function wantsZoneHints({ metadata }: Service): boolean {
  const { annotations = {} } = metadata;
  const mode = annotations[ANNOTATION_TOPOLOGY_HINTS] ?? annotations[ANNOTATION_TOPOLOGY_MODE];
  return mode === 'Auto' || mode === 'auto';
}

/** The groups with hints, each family by itself: one may have them and the other not. */
export function withZoneHints(
  groups: readonly SliceGroup[],
  existing: readonly EndpointSlice[],
  at: { readonly families: readonly SliceFamily[]; readonly shares: ReadonlyMap<string, number> | undefined },
): { readonly groups: readonly SliceGroup[]; readonly state: HintState } {
  const hinted = new Map<string, string>();
  for (const endpoint of existing.flatMap((slice) => slice.endpoints ?? [])) {
    const [zone] = endpoint.hints?.forZones ?? [];
    if (zone !== undefined) hinted.set(endpointKey(endpoint), zone.name);
  }
  const state = new Map<SliceFamily, string | undefined>();
  const hints = new Map<Endpoint, string>();
  for (const family of at.families) {
    const ready = groups
      .filter((group) => group.family === family)
      .flatMap((group) => group.endpoints.filter((one) => one.conditions?.ready === true));
    const seen = ready.map((one) => ({ zone: one.zone, hinted: hinted.get(endpointKey(one)) }));
    const decided = decideZoneHints(seen, at.shares);
    state.set(family, 'refused' in decided ? decided.refused : undefined);
    if ('refused' in decided) continue;
    for (const [i, zone] of decided.zones.entries()) {
      const endpoint = ready[i];
      if (endpoint !== undefined) hints.set(endpoint, zone);
    }
  }
  const withHint = (endpoint: Endpoint): Endpoint => {
    const zone = hints.get(endpoint);
    return zone === undefined ? endpoint : { ...endpoint, hints: { forZones: [{ name: zone }] } };
  };
  return { groups: groups.map((group) => ({ ...group, endpoints: group.endpoints.map(withHint) })), state };
}

/**
 * What is new to whoever looks at the service: hints that began or ended, or another reason for having none. An
 * undefined state: hints are not asked for.
 */
export function hintNews(before: HintState | undefined, after: HintState | undefined): readonly HintNews[] {
  const had = [...(before ?? [])].filter(([, refused]) => refused === undefined).map(([family]) => family);
  if (after === undefined) return had.map((family) => disabled('Topology Aware Hints has been disabled', family));
  const news: HintNews[] = [];
  let enabled = had.length > 0;
  for (const [family, refused] of after) {
    if (refused !== undefined && before?.get(family) !== refused) news.push(disabled(refused, family));
    if (refused !== undefined || enabled) continue;
    enabled = true;
    const message = `Topology Aware Hints has been enabled, addressType: ${family}`;
    news.push({ type: 'Normal', reason: 'TopologyAwareHintsEnabled', message });
  }
  return news;
}

function disabled(why: string, family: SliceFamily): HintNews {
  return { type: 'Warning', reason: 'TopologyAwareHintsDisabled', message: `${why}, addressType: ${family}` };
}
