import type { Route } from '../route/route.ts';

/** What a key does wherever nothing is written. */
export type KeyDeed = 'search' | 'kinds' | 'filter' | 'help' | 'next' | 'previous' | 'back' | { readonly tab: string };

/** A key as the browser tells of it. */
export interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** Letters that open a tab of the object that is looked at, or of the row where the focus is: k9s's habits. */
export const TAB_KEYS: { readonly [key: string]: string } = {
  d: 'summary',
  y: 'yaml',
  l: 'logs',
  s: 'terminal',
  w: 'why',
  h: 'history',
  e: 'events',
};

const SINGLE: { readonly [key: string]: KeyDeed } = {
  ':': 'kinds',
  '/': 'filter',
  '?': 'help',
  j: 'next',
  k: 'previous',
  ArrowDown: 'next',
  ArrowUp: 'previous',
  Escape: 'back',
};

/** What a key does; undefined: nothing of ours. `isWriting`: the focus is where text is written; `areOn`: single keys are wanted. */
export function deedOf(
  { key, ctrlKey, metaKey, altKey }: PressedKey,
  { isWriting, areOn }: { readonly isWriting: boolean; readonly areOn: boolean },
): KeyDeed | undefined {
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return 'search';
  if (ctrlKey || metaKey || altKey || isWriting || !areOn) return undefined;
  if (Object.hasOwn(TAB_KEYS, key)) return { tab: TAB_KEYS[key] ?? 'summary' };
  return Object.hasOwn(SINGLE, key) ? SINGLE[key] : undefined;
}

/** One step up: from a tab to the summary, from an object to its list; undefined: there is nothing above. */
export function routeAbove(route: Route): Route | undefined {
  if (route.page !== 'object') return undefined;
  if (route.tab !== 'summary') return { ...route, tab: 'summary' };
  const { gvr, namespace } = route;
  return { page: 'list', gvr, namespace, filter: '', labels: '', since: '' };
}
