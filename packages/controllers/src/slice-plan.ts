import { deepEqual } from '@binnacle/machinery';
import type { Endpoint, EndpointPort, EndpointSlice } from '@binnacle/api/discovery/v1';

/** The families that slices can have here; a slice has one for ever. */
export type SliceFamily = 'IPv4' | 'IPv6';

/** Endpoints that share a family and ports, and so can share slices. */
export interface SliceGroup {
  readonly family: SliceFamily;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** What a slice should hold. */
export interface SliceContent {
  readonly family: SliceFamily;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** The fewest writes that bring the slices to what is wanted. */
export interface SlicePlan {
  readonly create: readonly SliceContent[];
  readonly update: readonly { readonly slice: EndpointSlice; readonly content: SliceContent }[];
  readonly remove: readonly EndpointSlice[];
  readonly tally: SliceTally;
}

/** What a plan comes to, in endpoints; of groups that are wanted. */
export interface SliceTally {
  added: number;
  /** Stay in their slice, and are written otherwise. */
  updated: number;
  removed: number;
  /** All that there should be. */
  endpoints: number;
  /** Slices that would hold them if each were full. */
  full: number;
}

/** What there should be, what there is, and how much fits. */
export interface SlicePlanInput {
  readonly groups: readonly SliceGroup[];
  readonly existing: readonly EndpointSlice[];
  /** Endpoints in one slice at most. */
  readonly max: number;
  /** Families that keep an empty slice when they have no endpoint, so that nobody waits for the first. */
  readonly placeholders: readonly SliceFamily[];
  /** Whether labels, annotations and owner of a slice are right. */
  readonly isCurrent: (slice: EndpointSlice) => boolean;
}

interface Kept {
  readonly slice: EndpointSlice;
  endpoints: Endpoint[];
  changed: boolean;
}

/**
 * Keeps every endpoint where it is, fills the gaps of slices that have to be written anyway, then the fullest slice
 * that takes all the rest, and only then makes new ones; a slice that would be deleted is written over instead.
 */
export function planSlices(input: SlicePlanInput): SlicePlan {
  const byGroup = new Map<string, EndpointSlice[]>();
  for (const slice of [...input.existing].sort(byName)) {
    const key = groupKey(slice.addressType, slice.ports);
    byGroup.set(key, [...(byGroup.get(key) ?? []), slice]);
  }
  const tally: SliceTally = { added: 0, updated: 0, removed: 0, endpoints: 0, full: 0 };
  const create: SliceContent[] = [];
  const kept: (Kept & { readonly content: SliceContent })[] = [];
  for (const group of merged(input.groups)) {
    const key = groupKey(group.family, group.ports);
    const planned = planGroup(group, byGroup.get(key) ?? [], { ...input, tally });
    byGroup.delete(key);
    create.push(...planned.create.map((endpoints) => ({ ...group, endpoints })));
    kept.push(...planned.kept.map((one) => ({ ...one, content: { ...group, endpoints: one.endpoints } })));
  }
  const spare = [...byGroup.values()].flat();
  const full = kept.filter((one) => one.endpoints.length > 0);
  spare.push(...kept.filter((one) => one.endpoints.length === 0).map((one) => one.slice));
  for (const family of input.placeholders) {
    if (full.some((one) => one.content.family === family) || create.some((one) => one.family === family)) continue;
    const empty = spare.findIndex((slice) => isPlaceholder(slice, family) && input.isCurrent(slice));
    if (empty === -1) create.push({ family, ports: [], endpoints: [] });
    else spare.splice(empty, 1);
  }
  const update = full.filter((one) => one.changed).map(({ slice, content }) => ({ slice, content }));
  return recycled({ create, update, remove: spare, tally });
}

/** One key for endpoints that may be the same: addresses and what they belong to. */
export function endpointKey(endpoint: Endpoint): string {
  const { kind = '', namespace = '', name = '', uid = '' } = endpoint.targetRef ?? {};
  return JSON.stringify([[...endpoint.addresses].sort(), kind, namespace, name, uid]);
}

/** One key for all slices that can hold the same endpoints. */
export function groupKey(family: string, ports: EndpointSlice['ports']): string {
  const rows = (ports ?? []).map(({ name = '', protocol = 'TCP', port, appProtocol }) =>
    JSON.stringify([name, protocol, port ?? null, appProtocol ?? null]),
  );
  return `${family} ${rows.sort().join(' ')}`;
}

function planGroup(
  group: SliceGroup,
  slices: readonly EndpointSlice[],
  { max, isCurrent, tally }: SlicePlanInput & { readonly tally: SliceTally },
): { readonly kept: readonly Kept[]; readonly create: readonly (readonly Endpoint[])[] } {
  const missing = new Map<string, Endpoint>();
  for (const endpoint of group.endpoints) {
    const key = endpointKey(endpoint);
    if (!missing.has(key)) missing.set(key, endpoint);
  }
  tally.endpoints += missing.size;
  tally.full += Math.ceil(missing.size / max);
  const kept = slices.map((slice) => keep(slice, missing, { max, current: isCurrent(slice), tally }));
  tally.added += missing.size;
  const rest = [...missing.values()];
  const changed = kept.filter((one) => one.changed && one.endpoints.length > 0).sort(byFullness);
  for (const one of changed) one.endpoints.push(...rest.splice(0, max - one.endpoints.length));
  const last = rest.length % max;
  if (last > 0) {
    const fits = kept.filter((one) => one.endpoints.length > 0 && one.endpoints.length + last <= max).sort(byFullness);
    const fullest = fits[0];
    if (fullest !== undefined) {
      fullest.endpoints.push(...rest.splice(rest.length - last, last));
      fullest.changed = true;
    }
  }
  const create: Endpoint[][] = [];
  while (rest.length > 0) create.push(rest.splice(0, max));
  return { kept, create };
}

/** What stays in a slice; what it takes is no longer missing. */
function keep(
  slice: EndpointSlice,
  missing: Map<string, Endpoint>,
  limits: { readonly max: number; readonly current: boolean; readonly tally: SliceTally },
): Kept {
  const endpoints: Endpoint[] = [];
  let changed = !limits.current;
  for (const before of slice.endpoints ?? []) {
    const key = endpointKey(before);
    const wanted = missing.get(key);
    if (wanted === undefined || endpoints.length === limits.max) {
      changed = true;
      limits.tally.removed++;
      continue;
    }
    missing.delete(key);
    endpoints.push(wanted);
    if (deepEqual(before, wanted)) continue;
    changed = true;
    limits.tally.updated++;
  }
  return { slice, endpoints, changed };
}

/** A write saves a write: what is to be deleted becomes what is to be made, of the same family. */
function recycled(plan: SlicePlan): SlicePlan {
  const create: SliceContent[] = [];
  const update = [...plan.update];
  const remove = [...plan.remove];
  for (const content of plan.create) {
    const at = remove.findIndex((slice) => slice.addressType === content.family);
    const [slice] = at === -1 ? [] : remove.splice(at, 1);
    if (slice === undefined) create.push(content);
    else update.push({ slice, content });
  }
  return { create, update, remove, tally: plan.tally };
}

/** Groups of the same ports are one. */
function merged(groups: readonly SliceGroup[]): readonly SliceGroup[] {
  const byKey = new Map<string, SliceGroup>();
  for (const group of groups) {
    const key = groupKey(group.family, group.ports);
    const known = byKey.get(key);
    byKey.set(key, known === undefined ? group : { ...known, endpoints: [...known.endpoints, ...group.endpoints] });
  }
  return [...byKey.values()];
}

function isPlaceholder(slice: EndpointSlice, family: SliceFamily): boolean {
  return slice.addressType === family && (slice.endpoints ?? []).length === 0 && (slice.ports ?? []).length === 0;
}

function byFullness(a: Kept, b: Kept): number {
  return b.endpoints.length - a.endpoints.length;
}

function byName(a: EndpointSlice, b: EndpointSlice): number {
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}
