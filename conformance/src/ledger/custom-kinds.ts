/** Kinds that a behaviour defines for itself, and takes away again. */
import type { ResourceRef } from '@binnacle/api';
import type { CustomResourceDefinition } from '@binnacle/api/apiextensions/v1';
import { lookUntil } from '@binnacle/testkit';
import { requests } from './api-operations.ts';
import type { Thing } from './api-operations.ts';
import { untilOne } from './objects.ts';
import type { World } from './world.ts';

export const DEFINITIONS: ResourceRef<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};
export const DEFINITIONS_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A schema that takes whatever comes. */
export const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** What a behaviour wants of its kind; the first version is the one that is stored. */
export interface KindWish {
  /** In lower case: the group and the plural are made of it, and it is unlike every other behaviour's. */
  readonly name: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  /** `v1`, which takes anything. */
  readonly versions?: { readonly [version: string]: object };
  /** In place of a group of its own. */
  readonly group?: string;
  readonly labels?: { readonly [name: string]: string };
  /** More fields of versions. */
  readonly fields?: { readonly [version: string]: object };
}

/** A kind that is served. */
export interface ServedKind {
  /** Of its definition: `PLURAL.GROUP`. */
  readonly name: string;
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly definition: Thing;
  /** Of its objects in one version, in the behaviour's namespace if it has namespaces. */
  path(version?: string): string;
  /** An object of the kind. */
  object(name: string, fields?: object, version?: string): Thing;
}

function definitionOf(world: World, wish: KindWish): Thing {
  const group = wish.group ?? `${wish.name}.${world.namespace}.example.com`;
  const plural = `${wish.name}s`;
  const versions = Object.entries(wish.versions ?? { v1: ANYTHING }).map(([name, openAPIV3Schema], index) => ({
    name,
    served: true,
    storage: index === 0,
    schema: { openAPIV3Schema },
    ...wish.fields?.[name],
  }));
  const kind = `${wish.name[0]?.toUpperCase()}${wish.name.slice(1)}`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { ...wish.labels } },
    spec: {
      group,
      scope: wish.scope ?? 'Namespaced',
      names: { plural, singular: wish.name, kind, listKind: `${kind}List` },
      versions,
    },
  };
}

/** Defines a kind, and waits until it is established. */
export async function defineKind(world: World, wish: KindWish): Promise<ServedKind> {
  const wanted = definitionOf(world, wish);
  const { name = '' } = wanted.metadata;
  await requests(world, DEFINITIONS_PATH).create(wanted);
  const established = await untilOne(world, DEFINITIONS, {
    name,
    what: 'established',
    until: (d) => ['Established', 'NamesAccepted'].every((type) => holds(d, type)),
  });
  const group = established?.spec.group ?? '';
  const { plural = '', kind = '' } = established?.spec.names ?? {};
  const [stored = 'v1'] = Object.keys(wish.versions ?? { v1: ANYTHING });
  const within = wish.scope === 'Cluster' ? '' : `/namespaces/${world.namespace}`;
  return {
    name,
    group,
    plural,
    kind,
    definition: await requests(world, DEFINITIONS_PATH).get(name),
    path: (version = stored) => `/apis/${group}/${version}${within}/${plural}`,
    object: (its, fields = {}, version = stored) => ({
      apiVersion: `${group}/${version}`,
      kind,
      ...fields,
      metadata: { name: its, ...(fields as Partial<Thing>).metadata },
    }),
  };
}

function holds(definition: CustomResourceDefinition, type: string): boolean {
  return definition.status?.conditions?.some((c) => c.type === type && c.status === 'True') ?? false;
}

/** Takes a kind away, and waits until its definition is gone. */
export async function forgetKind(world: World, name: string): Promise<void> {
  await requests(world, DEFINITIONS_PATH).delete(name);
  await untilOne(world, DEFINITIONS, { name, what: 'gone' });
}

/** Lends a kind to `body`; afterwards it is taken away, whatever happened. */
export async function withKind(world: World, wish: KindWish, body: (kind: ServedKind) => Promise<void>): Promise<void> {
  const kind = await defineKind(world, wish);
  try {
    await body(kind);
  } finally {
    await forgetKind(world, kind.name);
  }
  await untilServed(world, kind.path(), 404);
}

/** A change of a definition is served a moment after it was made, as with upstream's server. */
export async function untilServed(world: World, path: string, code: 200 | 404): Promise<void> {
  await lookUntil({
    what: `${path} to answer ${code}`,
    look: async () => (await world.http(path)).code,
    until: (answered) => answered === code,
  });
}
