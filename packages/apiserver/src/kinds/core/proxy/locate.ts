import { PODS, SERVICES } from '@binnacle/api';
import type { Pod, Service } from '@binnacle/api/core/v1';
import { randomBelow } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import { servingAddresses } from '../../../outbound/service-endpoint.ts';
import type { CacheReader } from '../../../ports/reader.ts';
import { isGlobalUnicast } from '../../../outbound/global-unicast.ts';
import type { ProxyTarget } from './target.ts';

/** Where a proxied request goes. */
export interface PodPlace {
  readonly scheme: ProxyTarget['scheme'];
  readonly pod: Pod;
  readonly host: string;
  /** As asked for or found; empty: the scheme's own. */
  readonly port: string;
}

/** A pod by its first address; without a port, by the first one that its containers name. Throws 400 for what may not be dialled. */
export function locatePod(pod: Pod, { scheme, port }: ProxyTarget): PodPlace {
  const host = pod.status?.podIPs?.[0]?.ip ?? '';
  if (!isGlobalUnicast(host)) throw status.badRequest('address not allowed');
  const first = pod.spec.containers.flatMap(({ ports = [] }) => ports)[0];
  return { scheme, pod, host, port: port === '' && first !== undefined ? String(first.containerPort) : port };
}

/**
 * A ready pod behind a port of a Service, by the port's name or number. Only addresses of pods that are there: whoever
 * may write endpoints could reach anything else. Throws 404 and 503.
 */
export function locateServicePod(
  { cache, random }: { readonly cache: CacheReader; readonly random: Random },
  namespace: string,
  target: ProxyTarget,
): PodPlace {
  const service = cache.get(SERVICES, namespace, target.name) as Service | undefined;
  if (service === undefined) throw status.notFound(SERVICES, target.name);
  const portName = nameOfPort(service, target);
  const places = servingAddresses(cache, { namespace, name: target.name, portName }).flatMap(
    ({ host, port, targetRef }) => {
      if (targetRef?.kind !== 'Pod' || (targetRef.namespace ?? namespace) !== namespace) return [];
      return [{ host, port, podName: targetRef.name ?? '' }];
    },
  );
  while (places.length > 0) {
    const [place] = places.splice(randomBelow(random, places.length), 1);
    const pod = place && (cache.get(PODS, namespace, place.podName) as Pod | undefined);
    if (pod?.status?.podIPs?.some(({ ip }) => ip === place?.host) !== true || place === undefined) continue;
    return { scheme: target.scheme, pod, host: place.host, port: String(place.port) };
  }
  const { scheme, name, port } = target;
  const asked = port === '' ? name : `${scheme === 'https' ? 'https:' : ''}${name}:${port}`;
  throw status.serviceUnavailable(`no endpoints available for service ${JSON.stringify(asked)}`);
}

function nameOfPort({ spec }: Service, { name, port }: ProxyTarget): string {
  if (!/^[+-]?\d+$/.test(port)) return port;
  const found = spec?.ports?.find((one) => one.port === Number(port));
  if (found !== undefined) return found.name ?? '';
  throw status.serviceUnavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`);
}
