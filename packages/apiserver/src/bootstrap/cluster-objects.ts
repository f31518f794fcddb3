import {
  CONFIG_MAPS,
  ENDPOINT_SLICES,
  ENDPOINTS,
  NAMESPACES,
  PRIORITY_CLASSES,
  SERVICE_CIDRS,
  SERVICES,
} from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import type { ConfigMap, Endpoints, Namespace, Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import type { ServiceCIDR } from '@binnacle/api/networking/v1';
import type { PriorityClass } from '@binnacle/api/scheduling/v1';
import type { KubeObject } from '@binnacle/machinery';

/** Priorities above this are for the system's own classes. */
export const SYSTEM_PRIORITY_MIN = 2_000_000_000;
export const SYSTEM_NAMESPACES: readonly string[] = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** An object that has to exist. */
export interface WantedObject {
  readonly ref: ResourceRef<KubeObject>;
  readonly object: KubeObject;
  /** What is there stays as it is. */
  readonly onlyMissing?: true;
}

export function systemNamespaces(): WantedObject[] {
  return SYSTEM_NAMESPACES.map((name): WantedObject => {
    const object: Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {}, status: {} };
    return { ref: NAMESPACES, object };
  });
}

export function systemPriorityClasses(): WantedObject[] {
  const classes: readonly (readonly [string, number, string])[] = [
    ['system-cluster-critical', SYSTEM_PRIORITY_MIN, 'For pods that the cluster cannot do without, on whichever node.'],
    ['system-node-critical', SYSTEM_PRIORITY_MIN + 1000, 'For pods that their node cannot do without.'],
  ];
  return classes.map(([name, value, description]) => {
    const object: PriorityClass = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      description,
      preemptionPolicy: 'PreemptLowerPriority',
    };
    return { ref: PRIORITY_CLASSES, object };
  });
}

/** The range that Services are given addresses of; held while any of them is. */
export function defaultServiceCidr(cidrs: readonly string[]): WantedObject {
  const object: ServiceCIDR = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: 'kubernetes', finalizers: ['networking.k8s.io/service-cidr-finalizer'] },
    spec: { cidrs },
    status: {},
  };
  return { ref: SERVICE_CIDRS, object };
}

/** The Service under which pods find the API server. */
export function kubernetesService(clusterIPs: readonly string[], port: number): WantedObject {
  const object: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      namespace: 'default',
      name: 'kubernetes',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      type: 'ClusterIP',
      clusterIP: clusterIPs[0] ?? '',
      clusterIPs: clusterIPs.slice(0, 1),
      sessionAffinity: 'None',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }],
    },
    status: { loadBalancer: {} },
  };
  return { ref: SERVICES, object };
}

export function kubernetesEndpoints(addresses: readonly string[], port: number): WantedObject {
  const object: Endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      namespace: 'default',
      name: 'kubernetes',
      labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
    },
    subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports: [{ name: 'https', port, protocol: 'TCP' }] }],
  };
  return { ref: ENDPOINTS, object };
}

export function kubernetesEndpointSlice(addresses: readonly string[], port: number): WantedObject {
  const object: EndpointSlice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'default', name: 'kubernetes', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: addresses[0]?.includes(':') === true ? 'IPv6' : 'IPv4',
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
  return { ref: ENDPOINT_SLICES, object };
}

/** Since which day the use of tokens in secrets is kept account of: `2026-01-31`. What is there stays. */
export function tokenTracking(since: string): WantedObject {
  const object: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' },
    data: { since },
  };
  return { ref: CONFIG_MAPS, object, onlyMissing: true };
}

/** What extension API servers need to know to trust our callers. */
export function authenticationConfig(clientCa: string, frontProxyCa?: string): WantedObject {
  const object: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'kube-system', name: 'extension-apiserver-authentication' },
    data: { 'client-ca-file': clientCa, ...(frontProxyCa === undefined ? {} : requestHeaders(frontProxyCa)) },
  };
  return { ref: CONFIG_MAPS, object };
}

/** By which headers, of whom, requests that are passed on say who asks. Lists are JSON texts, as upstream writes them. */
function requestHeaders(frontProxyCa: string): { readonly [name: string]: string } {
  return {
    'requestheader-allowed-names': JSON.stringify([FRONT_PROXY_NAME]),
    'requestheader-client-ca-file': frontProxyCa,
    'requestheader-extra-headers-prefix': JSON.stringify(['X-Remote-Extra-']),
    'requestheader-group-headers': JSON.stringify(['X-Remote-Group']),
    'requestheader-uid-headers': JSON.stringify(['X-Remote-Uid']),
    'requestheader-username-headers': JSON.stringify(['X-Remote-User']),
  };
}

/** The common name of the front proxy's certificate. */
export const FRONT_PROXY_NAME = 'front-proxy-client';
