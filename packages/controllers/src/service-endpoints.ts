import { ipFamily, ofFamily } from '@binnacle/base';
import { deepEqual } from '@binnacle/machinery';
import { isPodReady, isPodTerminal, isPodTerminating, isSidecar, wellknown } from '@binnacle/api';
import type { ObjectReference, Pod, Service, ServicePort } from '@binnacle/api/core/v1';
import type { SliceFamily } from './slice-plan.ts';

/** The label that says a service has no address of its own; its value is empty. */
export const LABEL_HEADLESS = 'service.kubernetes.io/headless';

/** Whether a pod has a place among its services' endpoints at all, ready or not. */
export function belongsInEndpoints(pod: Pod, { terminating }: { readonly terminating: boolean }): boolean {
  if (isPodTerminal(pod) || addressesOf(pod).length === 0) return false;
  return terminating || !isPodTerminating(pod);
}

/** The pod's addresses, those of one family only when it is given. */
export function addressesOf(pod: Pod, family?: SliceFamily): readonly string[] {
  const ips = (pod.status?.podIPs ?? []).map(({ ip }) => ip);
  const { podIP } = pod.status ?? {};
  const all = ips.length > 0 || podIP === undefined || podIP === '' ? ips : [podIP];
  return family === undefined ? all : ofFamily(all, family);
}

/** Which families a service is reached by. */
export function familiesOf({ spec }: Service): readonly SliceFamily[] {
  const given = (spec.ipFamilies ?? []).filter((family) => family === 'IPv4' || family === 'IPv6');
  if (given.length > 0) return given;
  if (hasAddress(spec)) return [ipFamily(spec.clusterIP ?? '')];
  return ['IPv4', 'IPv6'];
}

/** Whether the service has an address of its own. */
export function hasAddress(spec: Service['spec']): boolean {
  return spec.clusterIP !== undefined && spec.clusterIP !== '' && spec.clusterIP !== 'None';
}

/** Whether its endpoints are these controllers' business; those of others are made by hand. */
export function isManaged({ spec }: Service): boolean {
  return spec.type !== 'ExternalName' && Object.keys(spec.selector ?? {}).length > 0;
}

/** The port of a pod that a service's port leads to; undefined when the pod has no port of that name. */
export type TargetPorts = (port: ServicePort) => number | undefined;

/** Where the ports of services lead on a pod. Its own are looked through once, however many ask. */
export function targetPortsOf(pod: Pod): TargetPorts {
  let named: ReadonlyMap<string, number> | undefined;
  return ({ targetPort, port, protocol = 'TCP' }) => {
    if (targetPort === undefined || targetPort === '') return port;
    if (typeof targetPort === 'number') return targetPort === 0 ? port : targetPort;
    return (named ??= namedPortsOf(pod)).get(`${protocol} ${targetPort}`);
  };
}

/**
 * What is made of a service's ports on a pod, once for all pods whose ports have the same names: a service may have twenty
 * thousand ports and a thousand pods.
 */
export function onEachPod<T>(service: Service, make: (targetOf: TargetPorts) => T): (pod: Pod) => T {
  const wanted = new Set((service.spec.ports ?? []).map(({ targetPort }) => targetPort));
  const made = new Map<string, T>();
  return (pod) => {
    const named = [...namedPortsOf(pod)].filter(([port]) => wanted.has(port.slice(port.indexOf(' ') + 1)));
    const key = named.join();
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = make(targetPortsOf(pod));
    made.set(key, fresh);
    return fresh;
  };
}

/** By protocol and name; of two the first. */
function namedPortsOf({ spec }: Pod): ReadonlyMap<string, number> {
  const named = new Map<string, number>();
  for (const { ports } of [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)])
    for (const { name, protocol = 'TCP', containerPort } of ports ?? []) {
      const key = `${protocol} ${name}`;
      if (name !== undefined && !named.has(key)) named.set(key, containerPort);
    }
  return named;
}

/** The name by which DNS knows this one pod of the service. */
export function hostnameOf(pod: Pod, service: Service): string | undefined {
  const { hostname, subdomain } = pod.spec;
  return hostname !== undefined && hostname !== '' && subdomain === service.metadata.name ? hostname : undefined;
}

export function podReference(pod: Pod): ObjectReference {
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  return { kind: 'Pod', namespace, name, uid };
}

/**
 * Whether a pod that came (no before), changed or went (no after) changes what its services publish. Most do not: thousands
 * that only just found their nodes have no address yet, and a sync of their service looks at every one of them.
 */
export function concernsEndpoints(before: Pod | undefined, after: Pod | undefined): boolean {
  const [was, is] = [mayBePublished(before), mayBePublished(after)];
  if (!was && !is) return false;
  if (before === undefined || after === undefined || was !== is) return true;
  const facts = (pod: Pod): unknown => [
    pod.metadata.uid,
    pod.metadata.labels,
    isPodTerminating(pod),
    isPodTerminal(pod),
    isPodReady(pod),
    addressesOf(pod),
    pod.spec.nodeName,
    pod.spec.hostname,
    pod.spec.subdomain,
  ];
  return !deepEqual(facts(before), facts(after));
}

function mayBePublished(pod: Pod | undefined): boolean {
  return pod !== undefined && belongsInEndpoints(pod, { terminating: true });
}

/** The zone of a node as its label tells; an empty label tells none. */
export function zoneLabel(labels: { readonly [key: string]: string } | undefined): string | undefined {
  const zone = labels?.[wellknown.LABEL_ZONE];
  return zone === '' ? undefined : zone;
}
