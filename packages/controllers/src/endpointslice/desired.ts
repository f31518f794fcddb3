import { isPodReady, isPodTerminating } from '@binnacle/api';
import type { Node, Pod, Service } from '@binnacle/api/core/v1';
import type { Endpoint, EndpointHints, EndpointPort } from '@binnacle/api/discovery/v1';
import { groupKey } from '../slice-plan.ts';
import type { SliceFamily, SliceGroup } from '../slice-plan.ts';
import {
  addressesOf,
  belongsInEndpoints,
  familiesOf,
  hostnameOf,
  onEachPod,
  podReference,
  zoneLabel,
} from '../service-endpoints.ts';
import type { TargetPorts } from '../service-endpoints.ts';
import { wantsZoneHints } from './topology.ts';

/** The endpoints that a service should have, grouped by what can share a slice. */
export function desiredGroups(
  service: Service,
  pods: readonly Pod[],
  nodeOf: (name: string) => Node | undefined,
): readonly SliceGroup[] {
  const groups = new Map<string, { family: SliceFamily; ports: readonly EndpointPort[]; endpoints: Endpoint[] }>();
  const families = familiesOf(service);
  const onPod = onEachPod(service, (targetOf) => {
    const ports = portsOf(service, targetOf);
    return { ports, keys: families.map((family) => ({ family, key: groupKey(family, ports) })) };
  });
  for (const pod of pods) {
    if (!belongsInEndpoints(pod, { terminating: true })) continue;
    const node = nodeOf(pod.spec.nodeName ?? '');
    // A pod whose node is gone waits for the pod collector; who publishes what is not ready publishes it too.
    if (node === undefined && service.spec.publishNotReadyAddresses !== true) continue;
    const { ports, keys } = onPod(pod);
    for (const { family, key } of keys) {
      const addresses = addressesOf(pod, family);
      if (addresses.length === 0) continue;
      let group = groups.get(key);
      if (group === undefined) groups.set(key, (group = { family, ports, endpoints: [] }));
      group.endpoints.push(endpointOf(service, pod, { addresses, node }));
    }
  }
  return [...groups.values()];
}

function portsOf(service: Service, targetOf: TargetPorts): readonly EndpointPort[] {
  return (service.spec.ports ?? []).flatMap((one): EndpointPort[] => {
    const port = targetOf(one);
    if (port === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = one;
    return [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function endpointOf(
  service: Service,
  pod: Pod,
  at: { readonly addresses: readonly string[]; readonly node: Node | undefined },
): Endpoint {
  const serving = isPodReady(pod);
  const terminating = isPodTerminating(pod);
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
  const { nodeName = '' } = pod.spec;
  const hostname = hostnameOf(pod, service);
  const zone = zoneLabel(at.node?.metadata.labels);
  const hints =
    ready && !wantsZoneHints(service) ? hintsOf(service.spec.trafficDistribution, zone, nodeName) : undefined;
  return {
    addresses: at.addresses,
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: podReference(pod),
    ...(nodeName === '' ? {} : { nodeName }),
    ...(zone === undefined ? {} : { zone }),
    ...(hints === undefined ? {} : { hints }),
  };
}

/** Which clients should prefer the endpoint; undefined: all alike. PreferClose is the old name of PreferSameZone. */
export function hintsOf(
  distribution: string | undefined,
  zone: string | undefined,
  nodeName: string,
): EndpointHints | undefined {
  if (!['PreferClose', 'PreferSameZone', 'PreferSameNode'].includes(distribution ?? '')) return undefined;
  const forZones = zone === undefined ? undefined : [{ name: zone }];
  const forNodes = distribution === 'PreferSameNode' && nodeName !== '' ? [{ name: nodeName }] : undefined;
  if (forZones === undefined && forNodes === undefined) return undefined;
  return { ...(forZones === undefined ? {} : { forZones }), ...(forNodes === undefined ? {} : { forNodes }) };
}
