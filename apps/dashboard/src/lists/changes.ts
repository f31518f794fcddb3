import type { TableView } from '../live/live-table.ts';
import { identityOf } from '../live/rows.ts';
import type { ApiObject } from '../live/rows.ts';

/** What became of an object between two moments. */
export interface Change {
  /** As it is after, else as it was. */
  readonly object: ApiObject;
  readonly sign: '+' | '-' | '~';
  readonly before: ApiObject | undefined;
  readonly after: ApiObject | undefined;
}

/** Of lists that are to be compared the first that is not there: of one alone everything would have come or gone. */
export function lackingOf<T extends Pick<TableView, 'state'>>(views: readonly T[]): T | undefined {
  return views.find(({ state }) => state !== 'live' && state !== 'read');
}

/** What of a list came, went and changed. Lists are in the order of namespace and name. */
export function changesOf(before: readonly ApiObject[], after: readonly ApiObject[]): readonly Change[] {
  const old = new Map(before.map((object) => [identityOf(object.metadata), object]));
  const changes: Change[] = [];
  for (const object of after) {
    const identity = identityOf(object.metadata);
    const known = old.get(identity);
    old.delete(identity);
    if (known === undefined) changes.push({ object, sign: '+', before: undefined, after: object });
    else if (known.metadata.resourceVersion !== object.metadata.resourceVersion) {
      changes.push({ object, sign: '~', before: known, after: object });
    }
  }
  return [
    ...changes,
    ...[...old.values()].map((object) => ({ object, sign: '-' as const, before: object, after: undefined })),
  ];
}
