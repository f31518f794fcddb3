import { membersOf } from '@binnacle/machinery';

/** One group and version that another API server serves, as discovery shows it. */
export interface RemoteGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** In the form of aggregated discovery (`APIResourceDiscovery`); empty where nothing is known yet. */
  readonly resources: readonly object[];
  /** `Stale`: as it was when the server last answered. */
  readonly freshness: 'Current' | 'Stale';
}

interface Listed {
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced?: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly verbs?: readonly string[] | null;
  readonly shortNames?: readonly string[] | null;
  readonly categories?: readonly string[] | null;
}

/**
 * What an `APIResourceList` says, in the form of aggregated discovery; undefined for a document that is none.
 * Subresources go with their resource; one without a resource is left out.
 */
export function readResourceList(
  document: unknown,
  of: { readonly group: string; readonly version: string },
): readonly object[] | undefined {
  const { resources } = membersOf(document);
  if (!Array.isArray(resources)) return undefined;
  const listed = resources.flatMap((one: unknown) => (isListed(one) ? [one] : []));
  const subresources = Map.groupBy(
    listed.filter(({ name }) => name.includes('/')),
    ({ name }) => name.slice(0, name.indexOf('/')),
  );
  return listed
    .filter(({ name }) => !name.includes('/'))
    .map((one) => resourceOf(one, subresources.get(one.name) ?? [], of));
}

function resourceOf(
  one: Listed,
  subresources: readonly Listed[],
  of: { readonly group: string; readonly version: string },
): object {
  const responseKind = ({ group = of.group, version = of.version, kind = '' }: Listed): object => ({
    group,
    version,
    kind,
  });
  return {
    resource: one.name,
    responseKind: responseKind(one),
    scope: one.namespaced === true ? 'Namespaced' : 'Cluster',
    singularResource: one.singularName ?? '',
    verbs: one.verbs ?? [],
    ...((one.shortNames ?? undefined) === undefined ? {} : { shortNames: one.shortNames }),
    ...((one.categories ?? undefined) === undefined ? {} : { categories: one.categories }),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map((sub) => ({
            subresource: sub.name.slice(sub.name.indexOf('/') + 1),
            responseKind: responseKind(sub),
            verbs: sub.verbs ?? [],
          })),
        }),
  };
}

/** Of the types that clients read: one that is not would take the whole document from them. */
function isListed(value: unknown): value is Listed {
  const { name, namespaced, verbs, shortNames, categories, ...texts } = membersOf(value);
  const { singularName, group, version, kind } = texts;
  return (
    typeof name === 'string' &&
    name !== '' &&
    (namespaced === undefined || typeof namespaced === 'boolean') &&
    [singularName, group, version, kind].every((text) => text === undefined || typeof text === 'string') &&
    [verbs, shortNames, categories].every(areTexts)
  );
}

function areTexts(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
