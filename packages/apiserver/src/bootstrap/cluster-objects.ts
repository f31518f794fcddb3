import { ipFamily } from '@binnacle/base';
import {
  CONFIG_MAPS,
  ENDPOINT_SLICES,
  ENDPOINTS,
  NAMESPACES,
  PRIORITY_CLASSES,
  SERVICE_CIDRS,
  SERVICES,
  wellknown,
} from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import type { ConfigMap, Endpoints, Namespace, Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import type { ServiceCIDR } from '@binnacle/api/networking/v1';
import type { PriorityClass } from '@binnacle/api/scheduling/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { RequestHeaderSettings } from '../ports/authentication-settings.ts';

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
    [
      wellknown.PRIORITY_SYSTEM_CLUSTER_CRITICAL,
      wellknown.PRIORITY_SYSTEM_CRITICAL,
      'For pods that the cluster cannot do without, on whichever node.',
    ],
    [
      wellknown.PRIORITY_SYSTEM_NODE_CRITICAL,
      wellknown.PRIORITY_SYSTEM_CRITICAL + 1000,
      'For pods that their node cannot do without.',
    ],
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
    metadata: { namespace: 'default', name: 'kubernetes', labels: { [wellknown.LABEL_SERVICE_NAME]: 'kubernetes' } },
    addressType: ipFamily(addresses[0] ?? ''),
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

/** Who may speak for others to this server and to those behind it. */
export interface FrontProxies {
  /** PEM of the authority of this server's own front-proxy certificate. */
  readonly ownCa?: string;
  /** Those before this server, where there are any. */
  readonly others?: RequestHeaderSettings;
}

/** What extension API servers need to know to trust our callers. */
export function authenticationConfig(clientCa: string, proxies: FrontProxies = {}): WantedObject {
  const object: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'kube-system', name: 'extension-apiserver-authentication' },
    data: { 'client-ca-file': clientCa, ...requestHeaders(proxies) },
  };
  return { ref: CONFIG_MAPS, object };
}

/** By which headers, of whom, requests that are passed on say who asks. Lists are JSON texts, as upstream writes them. */
function requestHeaders({ ownCa, others }: FrontProxies): { readonly [name: string]: string } {
  const authorities = [ownCa, others?.clientCa].filter((pem) => pem !== undefined);
  if (authorities.length === 0) return {};
  const own = (name: string): readonly string[] => (ownCa === undefined ? [] : [name]);
  // Where any name will do for others, none is named.
  const isOpen = others !== undefined && others.allowedNames.length === 0;
  return {
    'requestheader-allowed-names': isOpen ? '[]' : listText(own(FRONT_PROXY_NAME), others?.allowedNames),
    'requestheader-client-ca-file': authorities.map((pem) => pem.trimEnd()).join('\n') + '\n',
    'requestheader-extra-headers-prefix': listText(own('X-Remote-Extra-'), others?.extraHeadersPrefix),
    'requestheader-group-headers': listText(own('X-Remote-Group'), others?.groupHeaders),
    'requestheader-uid-headers': listText(own('X-Remote-Uid'), others?.uidHeaders),
    'requestheader-username-headers': listText(own('X-Remote-User'), others?.usernameHeaders),
  };
}

/** Each name once, whatever its case. */
function listText(own: readonly string[], others: readonly string[] = []): string {
  const names = new Map<string, string>();
  for (const name of [...own, ...others]) if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
  return JSON.stringify([...names.values()]);
}

/** The common name of the front proxy's certificate. */
export const FRONT_PROXY_NAME = 'front-proxy-client';
