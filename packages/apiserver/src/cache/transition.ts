import type { Entry } from './entry.ts';
import type { CacheEvent } from './event.ts';
import type { Selection } from './selection.ts';
import type { WatchItem } from './watch-source.ts';

/**
 * What a change is for one selection: an object that comes to match is ADDED, one that ceases to match is DELETED
 * (as it was, with the new revision).
 */
export function itemOf(event: CacheEvent, selection: Selection): WatchItem | undefined {
  const { before, after, revision } = event;
  const had = before !== undefined && selects(selection, before);
  const has = after !== undefined && selects(selection, after);
  if (has) return { type: had ? 'MODIFIED' : 'ADDED', entry: after, revision, event };
  return had ? { type: 'DELETED', entry: before, revision, event } : undefined;
}

export function selects(selection: Selection, entry: Entry): boolean {
  if (selection.namespace !== '' && entry.namespace !== selection.namespace) return false;
  return !selection.narrowed || selection.matches(entry);
}
