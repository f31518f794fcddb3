import { useMemo } from 'react';
import { pathOf } from '../api/discovery.ts';
import { fieldQuery } from '../api/field-query.ts';
import type { Resource } from '../api/discovery.ts';
import type { TableView } from '../live/live-table.ts';
import { useObjects } from '../live/use-table.ts';
import type { ApiObject } from '../live/rows.ts';

/** One object, kept true; `object` is undefined while it is read, and once it is gone. */
export interface LiveObject {
  readonly object: ApiObject | undefined;
  readonly state: TableView['state'];
  readonly error?: string;
}

/** Items of lists do not say what they are. */
export function named({ group, version, kind }: Resource, object: ApiObject): ApiObject {
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind, ...rest };
}

/** Follows one object of a kind. */
export function useObject(kind: Resource, at: { readonly namespace: string; readonly name: string }): LiveObject {
  const path = pathOf(kind, at.namespace === '' ? {} : { namespace: at.namespace });
  const { objects, state, error } = useObjects(path, {
    query: fieldQuery({ 'metadata.name': at.name }),
    isWatched: kind.verbs.includes('watch'),
  });
  // Some lists take no selector.
  const found = objects.find(({ metadata }) => metadata.name === at.name);
  const object = useMemo(() => (found === undefined ? undefined : named(kind, found)), [kind, found]);
  return { object, state, ...(error === undefined ? {} : { error }) };
}
