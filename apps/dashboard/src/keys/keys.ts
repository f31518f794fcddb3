import { listOf } from '../route/route.ts';
import type { Route } from '../route/route.ts';

/** What a key does wherever nothing is written. */
export type KeyDeed =
  | 'search'
  | 'kinds'
  | 'filter'
  | 'help'
  | 'next'
  | 'previous'
  | 'back'
  /** Out of the filter, to the page. */
  | 'leave'
  | { readonly tab: string };

/** A key as the browser tells of it. */
export interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** A letter of several keys is being made, as in Korean: they are the writer's. */
  readonly isComposing?: boolean;
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

/** Of those that write: keys that lead on from a filter to what it found. */
const IN_FILTER: { readonly [key: string]: KeyDeed } = { Escape: 'leave', Enter: 'next', ArrowDown: 'next' };

/** Where a key was pressed. */
export interface KeyPlace {
  /** The focus is where text is written. */
  readonly isWriting: boolean;
  /** That is the filter of the page. */
  readonly isFilter?: boolean;
  /** Single keys are wanted. */
  readonly areOn: boolean;
}

/** What a key does; undefined: nothing of ours. */
export function deedOf(
  { key, ctrlKey, metaKey, altKey, isComposing = false }: PressedKey,
  { isWriting, isFilter = false, areOn }: KeyPlace,
): KeyDeed | undefined {
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return 'search';
  if (ctrlKey || metaKey || altKey || isComposing) return undefined;
  if (isFilter) return Object.hasOwn(IN_FILTER, key) ? IN_FILTER[key] : undefined;
  if (isWriting || !areOn) return undefined;
  if (Object.hasOwn(TAB_KEYS, key)) return { tab: TAB_KEYS[key] ?? 'summary' };
  return Object.hasOwn(SINGLE, key) ? SINGLE[key] : undefined;
}

/** One step up: from a tab to the summary, from an object to its list; undefined: there is nothing above. */
export function routeAbove(route: Route): Route | undefined {
  if (route.page === 'list') return route.filter === '' ? undefined : { ...route, filter: '' };
  if (route.page !== 'object') return undefined;
  if (route.tab !== 'summary') return { ...route, tab: 'summary' };
  return listOf(route.gvr, route.namespace);
}
