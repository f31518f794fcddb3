/** A ready endpoint: where it is, and whom it was for until now. */
export interface HintedEndpoint {
  readonly zone: string | undefined;
  readonly hinted: string | undefined;
}

/** For each endpoint, in order, the zone whose clients should use it; or why there can be no hints, in upstream's words. */
export type ZoneHints = { readonly zones: readonly string[] } | { readonly refused: string };

/** How much more than its share an endpoint may have to carry. */
const OVERLOAD = 0.2;
const INSUFFICIENT_NODES = 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes';
const INSUFFICIENT_ENDPOINTS = 'Insufficient number of endpoints';
const OVERLOADED = 'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold';
const NO_ZONE = 'One or more endpoints do not have a zone specified';

interface Allocation {
  readonly minimum: number;
  readonly maximum: number;
  readonly desired: number;
}

type Allocations = ReadonlyMap<string, Allocation>;
type Counts = Map<string, number>;

/**
 * Gives each zone endpoints in proportion to its CPU. Endpoints stay with whom they are for as long as no zone gets too
 * many or too few by that; others serve their own zone, or one that has too few.
 */
export function decideZoneHints(
  endpoints: readonly HintedEndpoint[],
  shares: ReadonlyMap<string, number> | undefined,
): ZoneHints {
  if (shares === undefined) return { refused: INSUFFICIENT_NODES };
  const counted = `(${endpoints.length} endpoints, ${shares.size} zones)`;
  if (shares.size > endpoints.length) return { refused: `${INSUFFICIENT_ENDPOINTS} ${counted}` };
  const allocations = allocate(shares, endpoints.length);
  if (allocations === undefined) return { refused: `${OVERLOADED} ${counted}` };
  const own = endpoints.flatMap(({ zone = '' }) => (zone === '' ? [] : [zone]));
  if (own.length < endpoints.length) return { refused: NO_ZONE };
  const kept = keep(endpoints, allocations);
  const zones = place(own, kept, allocations);
  const counts = countsOf(zones);
  const tooFew = [...allocations].some(([zone, { minimum }]) => (counts.get(zone) ?? 0) < minimum);
  return { zones: tooFew ? place(own, [], allocations) : zones };
}

function allocate(shares: ReadonlyMap<string, number>, total: number): Allocations | undefined {
  const minima = [...shares].map(([zone, share]) => {
    const desired = share * total;
    const minimum = Math.ceil(desired / (1 + OVERLOAD));
    return { zone, minimum, desired: Math.max(desired, minimum) };
  });
  const spare = minima.reduce((left, { minimum }) => left - minimum, total);
  if (spare < 0) return undefined;
  return new Map(minima.map(({ zone, minimum, desired }) => [zone, { minimum, maximum: minimum + spare, desired }]));
}

/** Whom endpoints are for already, where a zone needs them; undefined for those that are free. */
function keep(endpoints: readonly HintedEndpoint[], allocations: Allocations): readonly (string | undefined)[] {
  const counts: Counts = new Map();
  return endpoints.map(({ hinted }) => {
    const allocation = hinted === undefined ? undefined : allocations.get(hinted);
    if (hinted === undefined || allocation === undefined) return undefined;
    const count = counts.get(hinted) ?? 0;
    if (count >= allocation.maximum) return undefined;
    counts.set(hinted, count + 1);
    return hinted;
  });
}

/** Those that are free go to their own zone, and from zones with too many to those with too few. */
function place(
  own: readonly string[],
  kept: readonly (string | undefined)[],
  allocations: Allocations,
): readonly string[] {
  const zones = own.map((zone, at) => kept[at] ?? zone);
  const { giving, receiving } = movesOf(countsOf(zones), allocations);
  for (const [at, zone] of zones.entries()) {
    if (kept[at] !== undefined || (giving.get(zone) ?? 0) === 0) continue;
    const [to] = receiving.keys();
    if (to === undefined) break;
    zones[at] = to;
    countDown(giving, zone);
    countDown(receiving, to);
  }
  return zones;
}

/** How many endpoints each zone gives away or gets, so that each comes as near to its share as whole ones allow. */
function movesOf(counts: Counts, allocations: Allocations): { readonly giving: Counts; readonly receiving: Counts } {
  const surplus: Counts = new Map();
  const lack: Counts = new Map();
  for (const zone of new Set([...allocations.keys(), ...counts.keys()])) {
    const over = (counts.get(zone) ?? 0) - (allocations.get(zone)?.desired ?? 0);
    if (over > 0) surplus.set(zone, over);
    if (over < 0) lack.set(zone, -over);
  }
  const giving: Counts = new Map();
  const receiving: Counts = new Map();
  for (;;) {
    const [from, most] = largest(surplus);
    const [to, least] = largest(lack);
    if (Math.min(most, least) < 0.5 || Math.max(most, least) < 1) return { giving, receiving };
    surplus.set(from, most - 1);
    lack.set(to, least - 1);
    giving.set(from, (giving.get(from) ?? 0) + 1);
    receiving.set(to, (receiving.get(to) ?? 0) + 1);
  }
}

function largest(counts: Counts): readonly [zone: string, count: number] {
  let most: readonly [string, number] = ['', 0];
  for (const entry of counts) if (entry[1] > most[1]) most = entry;
  return most;
}

function countsOf(zones: readonly string[]): Counts {
  const counts: Counts = new Map();
  for (const zone of zones) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  return counts;
}

function countDown(counts: Counts, zone: string): void {
  const left = (counts.get(zone) ?? 0) - 1;
  if (left > 0) counts.set(zone, left);
  else counts.delete(zone);
}
