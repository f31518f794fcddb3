import { useSyncExternalStore } from 'react';
import { formatRoute, parseMoment, parseRoute } from './route.ts';
import type { Route } from './route.ts';

let address = '';
let route: Route = { page: 'overview' };

/** Where the address bar is. The same object until it moves. */
function current(): Route {
  const now = location.pathname + location.search;
  if (now !== address) {
    address = now;
    route = parseRoute(location.pathname, location.search);
  }
  return route;
}

function subscribe(listener: () => void): () => void {
  addEventListener('popstate', listener);
  return () => removeEventListener('popstate', listener);
}

/** Where somebody is; the component is drawn anew when he goes elsewhere. */
export function useRoute(): Route {
  return useSyncExternalStore(subscribe, current);
}

/** The store's revision as of which everything is shown; undefined: as it is now. */
export function useMoment(): string | undefined {
  return useSyncExternalStore(subscribe, currentMoment);
}

function currentMoment(): string | undefined {
  return parseMoment(location.search);
}

/** The address of a place, at the moment that is looked at. */
export function addressOf(to: Route): string {
  return formatRoute(to, currentMoment());
}

/** Shows the same place as of another moment; undefined: as it is now. */
export function goTo(moment: string | undefined, { replace = false }: { readonly replace?: boolean } = {}): void {
  move(formatRoute(current(), moment), replace);
}

/** Goes there; `replace`: without a step for the way back. */
export function go(to: Route, { replace = false }: { readonly replace?: boolean } = {}): void {
  move(addressOf(to), replace);
}

function move(target: string, replace: boolean): void {
  if (replace) history.replaceState(null, '', target);
  else history.pushState(null, '', target);
  dispatchEvent(new PopStateEvent('popstate'));
}
