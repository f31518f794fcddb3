import { RESOURCES } from '@binnacle/api';
import type { Wire } from '@binnacle/machinery';
import { readText } from '@binnacle/machinery';
import { UsageError } from '../errors.ts';

/** A resource that an object was named by. */
export interface NamedResource {
  readonly group: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

interface DiscoveredGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly {
    readonly resources?: readonly {
      readonly resource: string;
      readonly singularResource?: string;
      readonly shortNames?: readonly string[];
      readonly scope: string;
      readonly responseKind?: { readonly kind?: string };
    }[];
  }[];
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** `po`, `pod`, `pods`, `deployment.apps` … as kubectl reads them; what is not built in is asked of the server. Throws UsageError. */
export async function findNamedResource(wire: Wire, text: string): Promise<NamedResource> {
  const dot = text.indexOf('.');
  const name = (dot === -1 ? text : text.slice(0, dot)).toLowerCase();
  const group = dot === -1 ? undefined : text.slice(dot + 1);
  const builtIn = RESOURCES.find(
    (one) => (group === undefined || one.group === group) && !one.virtual && isCalled(name, { ...one, kind: one.kind }),
  );
  if (builtIn !== undefined) return builtIn;
  for (const found of await discovered(wire)) {
    if ((group === undefined || found.group === group) && isCalled(name, found)) return found;
  }
  throw new UsageError(`the server doesn't have a resource type ${JSON.stringify(text)}`);
}

interface Names {
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
}

function isCalled(name: string, { resource, singular, kind, shortNames }: Names): boolean {
  return name === resource || name === singular || name === kind.toLowerCase() || shortNames.includes(name);
}

async function discovered(wire: Wire): Promise<(NamedResource & Names)[]> {
  const reply = await readText({ raw: (call) => wire.raw({ ...call, headers: { accept: AGGREGATED } }) }, '/apis');
  const { items = [] } = JSON.parse(reply) as { readonly items?: readonly DiscoveredGroup[] };
  return items.flatMap(({ metadata, versions = [] }) =>
    versions.flatMap(({ resources = [] }) =>
      resources.map(({ resource, singularResource = '', shortNames = [], scope, responseKind }) => ({
        group: metadata?.name ?? '',
        resource,
        namespaced: scope === 'Namespaced',
        singular: singularResource,
        shortNames,
        kind: responseKind?.kind ?? '',
      })),
    ),
  );
}
