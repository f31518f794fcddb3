import { useSyncExternalStore } from 'react';
import { formatRoute, parseRoute } from './route.ts';
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

/** Goes there; `replace`: without a step for the way back. */
export function go(to: Route, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', formatRoute(to));
  else history.pushState(null, '', formatRoute(to));
  dispatchEvent(new PopStateEvent('popstate'));
}
