import type { Ingress, IngressBackend } from '@binnacle/api/networking/v1';
import { rulePaths } from './path-readings.ts';
import { normalPath } from './request-target.ts';

/** Where a rule leads: a Service of the Ingress's namespace, or what this controller does not serve. */
export type RouteTarget =
  | {
      readonly kind: 'service';
      readonly namespace: string;
      readonly name: string;
      /** Its number, or its name. */
      readonly port: number | string;
    }
  | { readonly kind: 'resource'; readonly described: string };

/** One path of one host. */
export interface PathRule {
  /** Empty: any; `*.example.com`: one label in its place. In lower case. */
  readonly host: string;
  /** True: the path alone; else all below it too. */
  readonly isExact: boolean;
  /** As `readingsOf` tells the paths of requests. */
  readonly path: string;
  readonly target: RouteTarget;
}

/** A certificate that an Ingress asks for. */
export interface TlsWish {
  /** In lower case, as rules name them; empty: whatever name nobody else has. */
  readonly hosts: readonly string[];
  /** `namespace/name`. */
  readonly secret: string;
}

/** What an Ingress says, in its own order. */
export interface IngressRules {
  /** `namespace/name`. */
  readonly key: string;
  /** Text that sorts as who comes first: no two Ingresses have the same. */
  readonly age: string;
  readonly rules: readonly PathRule[];
  /** All hosts that rules name. */
  readonly hosts: readonly string[];
  readonly fallback: RouteTarget | undefined;
  readonly tls: readonly TlsWish[];
}

/** Reads an Ingress. The API server has seen to it that it is well formed. */
export function readIngress({ metadata, spec }: Ingress): IngressRules {
  const { namespace = '', name = '' } = metadata;
  const fallback = spec.defaultBackend === undefined ? undefined : targetOf(spec.defaultBackend, namespace);
  const rules: PathRule[] = [];
  const hosts = new Set<string>();
  for (const { host: given = '', http } of spec.rules ?? []) {
    const host = given.toLowerCase();
    hosts.add(host);
    for (const { path = '', pathType, backend } of http?.paths ?? []) {
      const target = targetOf(backend, namespace);
      // What is left to the implementation is a prefix here.
      for (const read of rulePaths(normalPath(path || '/')))
        rules.push({ host, isExact: pathType === 'Exact', path: read, target });
    }
    // A rule without paths sends everything for its host to the default backend.
    if (http === undefined && fallback !== undefined) rules.push({ host, isExact: false, path: '/', target: fallback });
  }
  const tls = tlsOf(spec.tls, namespace, hosts);
  return { key: `${namespace}/${name}`, age: ageOf({ metadata }), rules, hosts: [...hosts], fallback, tls };
}

function targetOf({ service, resource }: IngressBackend, namespace: string): RouteTarget {
  if (service === undefined) return { kind: 'resource', described: `${resource?.kind ?? ''} ${resource?.name ?? ''}` };
  const { number, name = '' } = service.port ?? {};
  return { kind: 'service', namespace, name: service.name, port: number === undefined || number === 0 ? name : number };
}

function tlsOf(given: Ingress['spec']['tls'], namespace: string, ruled: ReadonlySet<string>): TlsWish[] {
  return (given ?? []).flatMap(({ hosts, secretName = '' }) => {
    if (secretName === '') return [];
    const named = (hosts ?? []).map((host) => host.toLowerCase());
    const all = ruled.size > 0 ? [...ruled] : [''];
    return [{ hosts: named.length > 0 ? named : all, secret: `${namespace}/${secretName}` }];
  });
}

/** Who comes first has what two ask for: the older one, then the name that sorts first. */
function ageOf({ metadata: { creationTimestamp = '', namespace = '', name = '' } }: Pick<Ingress, 'metadata'>): string {
  return `${creationTimestamp} ${namespace}/${name}`;
}
