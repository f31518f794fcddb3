/** Where in the dashboard somebody is: what the address bar says. */
export type Route =
  | { readonly page: Place }
  | { readonly page: 'topology'; readonly namespace: string }
  | { readonly page: 'lessons'; /** Empty: all. */ readonly name: string }
  | { readonly page: 'create'; readonly gvr: Gvr; readonly namespace: string }
  | ListRoute
  | {
      readonly page: 'object';
      readonly gvr: Gvr;
      readonly namespace: string;
      readonly name: string;
      readonly tab: string;
    };

/** A list, and what of it is shown how. */
export interface ListRoute {
  readonly page: 'list';
  readonly gvr: Gvr;
  readonly namespace: string;
  readonly filter: string;
  /** Selectors, as `kubectl get` takes them; the server looks. */
  readonly labels: string;
  readonly fields: string;
  /** By the column of this name, `-` in front: the other way round; empty: by name. */
  readonly sort: string;
  /** With the columns that `kubectl get -o wide` shows. */
  readonly isWide: boolean;
  /** What changed since this revision is shown; empty: what is there. */
  readonly since: string;
}

/** Pages that are of no kind. */
export type Place = (typeof PLACES)[number];

const PLACES = ['overview', 'pauses'] as const;
/** In front of a resource: a new object of it. */
const NEW = 'new';
const LESSONS = 'lessons';
/** Where everything is drawn together. */
const TOPOLOGY = 'topology';

/** A resource in an address: `core/v1/pods`, `apps/v1/deployments`. */
export interface Gvr {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** In the place of the core group's empty name. */
const CORE = 'core';
/** In the place of a namespace, for objects that are in none. */
const CLUSTER = '-';

/** Anything that is no address of the dashboard leads to the overview. */
export function parseRoute(path: string, search: string): Route {
  const [kind, group = '', version = '', resource = '', namespace, name, tab = 'summary'] = path
    .split('/')
    .slice(1)
    .map(decode);
  const query = new URLSearchParams(search);
  const of = (key: string): string => query.get(key) ?? '';
  if (kind === LESSONS) return { page: LESSONS, name: group };
  if (kind === TOPOLOGY) return { page: TOPOLOGY, namespace: of('ns') };
  if ((kind !== 'r' && kind !== NEW) || resource === '')
    return { page: PLACES.find((place) => place === kind) ?? 'overview' };
  const gvr = { group: group === CORE ? '' : group, version, resource };
  if (kind === NEW) return { page: 'create', gvr, namespace: of('ns') };
  if (namespace !== undefined && name !== undefined && name !== '') {
    return { page: 'object', gvr, namespace: namespace === CLUSTER ? '' : namespace, name, tab };
  }
  const since = revisionOf(of('since')) ?? '';
  const selectors = { labels: of('labels'), fields: of('fields') };
  const look = { sort: of('sort'), isWide: of('wide') === 'true' };
  return { page: 'list', gvr, namespace: of('ns'), filter: of('q'), ...selectors, ...look, since };
}

/** The moment in an address: a revision of the store. */
export function parseMoment(search: string): string | undefined {
  return revisionOf(new URLSearchParams(search).get('at') ?? '');
}

function revisionOf(text: string): string | undefined {
  return /^[1-9]\d{0,18}$/.test(text) ? text : undefined;
}

/** The address of a list with nothing filtered. */
export function listOf(gvr: Gvr, namespace = ''): ListRoute {
  return { page: 'list', gvr, namespace, filter: '', labels: '', fields: '', sort: '', isWide: false, since: '' };
}

/** The address of a place, as of a moment; undefined: as it is now. */
export function formatRoute(route: Route, at?: string): string {
  const query = new URLSearchParams();
  if ((route.page === TOPOLOGY || route.page === 'create') && route.namespace !== '') query.set('ns', route.namespace);
  if (route.page === 'list') {
    const { namespace, filter, labels, fields, sort, isWide, since } = route;
    const said = { ns: namespace, q: filter, labels, fields, sort, wide: isWide ? 'true' : '', since };
    for (const [key, value] of Object.entries(said)) if (value !== '') query.set(key, value);
  }
  if (at !== undefined) query.set('at', at);
  return `/${stepsOf(route).map(encodeURIComponent).join('/')}${query.size === 0 ? '' : `?${query.toString()}`}`;
}

function stepsOf(route: Route): readonly string[] {
  if (route.page === LESSONS) return route.name === '' ? [LESSONS] : [LESSONS, route.name];
  if (!('gvr' in route)) return route.page === 'overview' ? [] : [route.page];
  const { group, version, resource } = route.gvr;
  const base = [route.page === 'create' ? NEW : 'r', group || CORE, version, resource];
  if (route.page !== 'object') return base;
  return [...base, route.namespace || CLUSTER, route.name, ...(route.tab === 'summary' ? [] : [route.tab])];
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch (error) {
    if (error instanceof URIError) return step;
    throw error;
  }
}
