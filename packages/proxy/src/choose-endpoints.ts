import { chooseStanding } from '@binnacle/api';
import type { EndpointPlace } from './endpoints.ts';

/** Where traffic is decided: hints are read for this node and its zone (empty: none). */
export interface Whereabouts {
  readonly nodeName: string;
  readonly zone: string;
}

/** Who may answer here under policy Cluster: those that are ready, near ones where every one says for whom it is. */
export function chooseForCluster(all: readonly EndpointPlace[], { nodeName, zone }: Whereabouts): EndpointPlace[] {
  const chosen = chooseStanding(all);
  if (chosen[0]?.standing !== 'ready') return chosen;
  return (
    meant(chosen, ({ nodeHints }) => nodeHints, nodeName) ?? meant(chosen, ({ zoneHints }) => zoneHints, zone) ?? chosen
  );
}

/** Who may answer here under policy Local: those of this node, ready ones before ones on their way out. */
export function chooseForLocal(all: readonly EndpointPlace[]): EndpointPlace[] {
  return chooseStanding(all.filter(({ local }) => local));
}

/** The same on a machine that is the load balancer of all nodes that reach the world through it: those of theirs too. */
export function chooseForNear(all: readonly EndpointPlace[]): EndpointPlace[] {
  return chooseStanding(all.filter(({ near }) => near));
}

/** Whether anybody anywhere in the cluster answers. */
export function answersAnywhere(all: readonly EndpointPlace[]): boolean {
  return all.some(({ standing }) => standing !== 'out');
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
