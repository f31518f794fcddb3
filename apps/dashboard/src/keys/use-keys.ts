import { useEffect, useRef, useState } from 'react';
import { parseRoute } from '../route/route.ts';
import type { Route } from '../route/route.ts';
import { go } from '../route/use-route.ts';
import { deedOf, routeAbove } from './keys.ts';
import { typedAhead } from './typed-ahead.ts';

const SWITCH = 'single-keys';
/** Where a page is filtered. */
const FILTER = '[data-hotkey="/"]';
/** A link that stands for an object in a list. */
export const ROW_LINK = 'data-row-link';

/** The field that what is typed after `Ctrl-K` or `:` is for. */
export const SEARCH_FIELD = 'data-search-field';

/** Whether single keys do something: who speaks to his computer, or types with one hand, may want none of it. */
export function areSingleKeysOn(): boolean {
  return localStorage.getItem(SWITCH) !== 'off';
}

/** From now on, in this browser. */
export function switchSingleKeys(areOn: boolean): void {
  localStorage.setItem(SWITCH, areOn ? 'on' : 'off');
}

/** Says of an element that it stands for what could not be drawn: what is typed there is for nobody else. */
export const BROKEN = 'data-broken';

/** What the keys have opened. */
export type Opened = 'search' | 'kinds' | 'help' | undefined;

/** Listens to the keys of the whole page; answers with what they opened. */
export function useKeys(): readonly [Opened, (opened: Opened) => void] {
  const [opened, setOpened] = useState<Opened>();
  const now = useRef<Opened>(undefined);
  now.current = opened;
  useEffect(() => {
    let wasInDialog = false;
    const open = (next: Opened): void => {
      // At once: the next key may come before the page is drawn.
      now.current = next;
      setOpened(next);
    };
    // A dialog that Escape closes is gone from the page before `onKey` is asked: whether one was there is seen on the way down.
    const onWayDown = (event: KeyboardEvent): void => {
      wasInDialog = now.current !== undefined || isDialogOpen();
      const isSearching = now.current === 'search' || now.current === 'kinds';
      if (!isSearching || isSearchField(event.target) || document.querySelector(`[role=dialog] [${BROKEN}]`)) return;
      const fate = typedAhead.take(event);
      if (fate === 'left') open(undefined);
      if (fate === undefined) return;
      event.preventDefault();
      event.stopPropagation();
    };
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      const isFilter = target instanceof HTMLElement && target.matches(FILTER);
      const deed = deedOf(event, { isWriting: isWriting(target), isFilter, areOn: areSingleKeysOn() });
      if (deed === undefined || (deed !== 'search' && wasInDialog)) return;
      if (deed === 'search' || deed === 'kinds' || deed === 'help') open(deed);
      else if (typeof deed === 'object') openTab(deed.tab);
      else if (!move(deed)) return;
      event.preventDefault();
    };
    addEventListener('keydown', onWayDown, { capture: true });
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('keydown', onWayDown, { capture: true });
      removeEventListener('keydown', onKey);
    };
  }, []);
  return [opened, setOpened];
}

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.matches('input, textarea, select, [role=slider]') ||
    target.closest('.xterm') !== null
  );
}

function isSearchField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches(`[${SEARCH_FIELD}]`);
}

function isDialogOpen(): boolean {
  return document.querySelector('[role=dialog]') !== null;
}

function currentRoute(): Route {
  return parseRoute(location.pathname, location.search);
}

/** Of the row where the focus is, else of the first one that is seen, else of the object that is looked at. */
function openTab(tab: string): void {
  const link = document.activeElement?.closest(`[${ROW_LINK}]`) ?? firstInSight(rowLinks());
  const route = link instanceof HTMLAnchorElement ? parseRoute(new URL(link.href).pathname, '') : currentRoute();
  if (route.page === 'object') go({ ...route, tab });
}

/** Whether there was anything to do. */
function move(deed: 'filter' | 'next' | 'previous' | 'back' | 'leave'): boolean {
  if (deed === 'filter') return focus(document.querySelector(FILTER));
  if (deed === 'leave') {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    return true;
  }
  if (deed === 'back') {
    const above = routeAbove(currentRoute());
    if (above !== undefined) go(above);
    return above !== undefined;
  }
  const links = rowLinks();
  const at = links.findIndex((link) => link === document.activeElement);
  return focus(at === -1 ? firstInSight(links) : links[at + (deed === 'next' ? 1 : -1)]);
}

function rowLinks(): readonly Element[] {
  return [...document.querySelectorAll(`[${ROW_LINK}]`)];
}

/** More rows are drawn than are seen, and those first that come before them; the first of all is the list's head. */
function firstInSight(links: readonly Element[]): Element | undefined {
  const head = links[0]?.closest('[role=table]')?.querySelector('[role=row]');
  const top = head?.getBoundingClientRect().bottom ?? 0;
  return links.find((link) => link.getBoundingClientRect().top >= top) ?? links.at(-1);
}

function focus(element: Element | null | undefined): boolean {
  if (!(element instanceof HTMLElement)) return false;
  element.focus();
  element.scrollIntoView({ block: 'nearest' });
  return true;
}
