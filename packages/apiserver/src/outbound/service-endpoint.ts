import { randomBelow } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import { endpointStanding, SERVICES, wellknown } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import type { Endpoint, EndpointSlice } from '@binnacle/api/discovery/v1';
import type { CacheReader } from '../ports/reader.ts';

const SLICES = { group: 'discovery.k8s.io', resource: 'endpointslices' };

/** Where to dial, or why there is nowhere. */
export type ServiceEndpoint = { readonly host: string; readonly port: number } | { readonly missing: string };

export interface EndpointWorld {
  readonly cache: CacheReader;
  readonly random: Random;
}

/** A ready endpoint behind a port of a Service, any of them; an ExternalName is dialled by its name. */
export function findServiceEndpoint(
  { cache, random }: EndpointWorld,
  { namespace, name, port }: { readonly namespace: string; readonly name: string; readonly port: number },
): ServiceEndpoint {
  const service = cache.get(SERVICES, namespace, name) as Service | undefined;
  if (service === undefined) return { missing: `service "${name}" not found` };
  const { spec } = service;
  if (spec?.type === 'ExternalName') return { host: spec.externalName ?? '', port };
  const found = spec?.ports?.find((one) => one.port === port);
  if (found === undefined) return { missing: `no service port ${port} found for service "${name}"` };
  const ready = servingAddresses(cache, { namespace, name, portName: found.name ?? '' });
  const chosen = ready[randomBelow(random, Math.max(1, ready.length))];
  if (chosen === undefined) return { missing: `no endpoints available for service "${name}"` };
  return { host: chosen.host, port: chosen.port };
}

/** One ready address behind a Service. */
export interface ServingAddress {
  readonly host: string;
  readonly port: number;
  /** Whose address it is, as the slice says. */
  readonly targetRef: Endpoint['targetRef'];
}

/** All ready addresses behind a port of a Service, as its slices tell them. */
export function servingAddresses(
  cache: CacheReader,
  { namespace, name, portName }: { readonly namespace: string; readonly name: string; readonly portName: string },
): ServingAddress[] {
  const slices = (cache.list(SLICES, namespace) as readonly EndpointSlice[]).filter(
    ({ metadata }) => metadata.labels?.[wellknown.LABEL_SERVICE_NAME] === name,
  );
  return slices.flatMap(({ endpoints, ports }) => {
    const port = ports?.find((one) => (one.name ?? '') === portName)?.port;
    if (port === undefined) return [];
    return (endpoints ?? [])
      .filter((endpoint) => endpointStanding(endpoint) === 'ready')
      .flatMap(({ addresses, targetRef }) => addresses.slice(0, 1).map((host) => ({ host, port, targetRef })));
  });
}
