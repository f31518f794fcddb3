import type { EndpointPlace } from './endpoints.ts';

/** Where traffic is decided: hints are read for this node and its zone (empty: none). */
export interface Whereabouts {
  readonly nodeName: string;
  readonly zone: string;
}

/** Who may answer here under policy Cluster: those that are ready, near ones where every one says for whom it is. */
export function chooseForCluster(all: readonly EndpointPlace[], { nodeName, zone }: Whereabouts): EndpointPlace[] {
  const ready = all.filter((place) => place.ready);
  if (ready.length === 0) return all.filter(isLeaving);
  return (
    meant(ready, ({ nodeHints }) => nodeHints, nodeName) ?? meant(ready, ({ zoneHints }) => zoneHints, zone) ?? ready
  );
}

/** Who may answer here under policy Local: those of this node, ready ones before ones on their way out. */
export function chooseForLocal(all: readonly EndpointPlace[]): EndpointPlace[] {
  return chooseHere(all.filter(({ local }) => local));
}

/** The same on a machine that is the load balancer of all nodes that reach the world through it: those of theirs too. */
export function chooseForNear(all: readonly EndpointPlace[]): EndpointPlace[] {
  return chooseHere(all.filter(({ near }) => near));
}

function chooseHere(here: readonly EndpointPlace[]): EndpointPlace[] {
  const ready = here.filter((place) => place.ready);
  return ready.length > 0 ? ready : here.filter(isLeaving);
}

/** Whether anybody anywhere in the cluster answers. */
export function answersAnywhere(all: readonly EndpointPlace[]): boolean {
  return all.some((place) => place.ready || isLeaving(place));
}

function isLeaving({ serving, terminating }: EndpointPlace): boolean {
  return serving && terminating;
}

/** Those hinted for `mine`; undefined unless all have hints and one is for it: a hint that would leave nobody is none. */
function meant(
  ready: readonly EndpointPlace[],
  hintsOf: (place: EndpointPlace) => readonly string[],
  mine: string,
): EndpointPlace[] | undefined {
  if (ready.some((place) => hintsOf(place).length === 0)) return undefined;
  const mineOnly = ready.filter((place) => hintsOf(place).includes(mine));
  return mineOnly.length === 0 ? undefined : mineOnly;
}
