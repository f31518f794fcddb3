import { hostPort } from '@binnacle/base';
import { wellknown } from '@binnacle/api';
import type { Endpoints, Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';
import type { IPAddress, Ingress, IngressClass, NetworkPolicy, ServiceCIDR } from '@binnacle/api/networking/v1';
import { formatSelector, selectorFromObject } from '@binnacle/machinery';
import {
  AGE,
  NAME,
  createdAgo,
  labelsText,
  listed,
  nameOf,
  orNone,
  printer,
  text,
  wide,
} from '../../render/columns.ts';

/** How many of a list are shown before it says how many more there are. */
const SHOWN_MAX = 3;

export const servicePrinter = printer<Service>(
  [
    NAME,
    text('Type', 'How the service is reached.'),
    text('Cluster-IP', 'Address inside the cluster.'),
    text('External-IP', 'Addresses for the world outside.'),
    text('Port(s)', 'Ports, and node ports after a colon.'),
    AGE,
    wide(text('Selector', 'Labels of the pods behind it.')),
  ],
  (service, now) => [
    nameOf(service),
    service.spec.type ?? '',
    orNone(service.spec.clusterIPs?.[0] ?? service.spec.clusterIP),
    externalIp(service),
    portsText(service),
    createdAgo(service, now),
    labelsText(service.spec.selector),
  ],
);

function externalIp({ spec, status }: Service): string {
  const given = spec.externalIPs ?? [];
  switch (spec.type) {
    case 'ExternalName':
      return spec.externalName ?? '';
    case 'LoadBalancer': {
      const balanced = (status?.loadBalancer?.ingress ?? []).map((one) => one.ip || (one.hostname ?? ''));
      const all = [...new Set(balanced), ...given];
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    default:
      return listed(given);
  }
}

function portsText({ spec }: Service): string {
  const ports = (spec.ports ?? []).map(({ port, nodePort = 0, protocol = 'TCP' }) =>
    nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return listed(ports);
}

export const endpointsPrinter = printer<Endpoints>(
  [NAME, text('Endpoints', 'Addresses and ports behind the service.'), AGE],
  (endpoints, now) => [nameOf(endpoints), endpointsText(endpoints), createdAgo(endpoints, now)],
);

function endpointsText({ subsets }: Endpoints): string {
  if ((subsets?.length ?? 0) === 0) return '<none>';
  const all = (subsets ?? []).flatMap(({ addresses = [], ports = [] }) => {
    if (ports.length === 0) return addresses.map(({ ip }) => ip);
    return ports.flatMap(({ port }) => addresses.map(({ ip }) => hostPort(ip, port)));
  });
  return shortened(all, '');
}

export const endpointSlicePrinter = printer<EndpointSlice>(
  [
    NAME,
    text('AddressType', 'Family of the addresses.'),
    text('Ports', 'Ports of every endpoint.'),
    text('Endpoints', 'Addresses of the endpoints.'),
    AGE,
  ],
  (slice, now) => [
    nameOf(slice),
    slice.addressType,
    shortened(
      (slice.ports ?? []).map(({ port, name }) => String(port ?? name ?? '*')),
      '<unset>',
    ),
    shortened(
      (slice.endpoints ?? []).flatMap((endpoint) => endpoint.addresses),
      '<unset>',
    ),
    createdAgo(slice, now),
  ],
);

function shortened(items: readonly string[], otherwise: string): string {
  const shown = items.slice(0, SHOWN_MAX).join(',');
  if (items.length > SHOWN_MAX) return `${shown} + ${items.length - SHOWN_MAX} more...`;
  return shown === '' ? otherwise : shown;
}

export const ingressPrinter = printer<Ingress>(
  [
    NAME,
    text('Class', 'Which kind of controller serves it.'),
    text('Hosts', 'Host names it answers for.'),
    text('Address', 'Where it is reached.'),
    text('Ports', 'Ports it listens on.'),
    AGE,
  ],
  (ingress, now) => [
    nameOf(ingress),
    orNone(ingress.spec?.ingressClassName ?? ingress.metadata.annotations?.[wellknown.ANNOTATION_INGRESS_CLASS]),
    hostsText(ingress),
    (ingress.status?.loadBalancer?.ingress ?? []).map((one) => one.ip || (one.hostname ?? '')).join(','),
    (ingress.spec?.tls?.length ?? 0) > 0 ? '80, 443' : '80',
    createdAgo(ingress, now),
  ],
);

function hostsText({ spec }: Ingress): string {
  const hosts = (spec?.rules ?? []).map((rule) => rule.host ?? '').filter((host) => host !== '');
  return shortened(hosts, '*');
}

export const ingressClassPrinter = printer<IngressClass>(
  [
    NAME,
    text('Controller', 'Who serves ingresses of the class.'),
    text('Parameters', 'Object that configures it.'),
    AGE,
  ],
  (one, now) => {
    const parameters = one.spec?.parameters;
    const group = parameters?.apiGroup ? `.${parameters.apiGroup}` : '';
    const shown = parameters === undefined ? '<none>' : `${parameters.kind}${group}/${parameters.name}`;
    return [nameOf(one), one.spec?.controller ?? '', shown, createdAgo(one, now)];
  },
);

export const networkPolicyPrinter = printer<NetworkPolicy>(
  [NAME, text('Pod-Selector', 'Labels of the pods it is about.'), AGE],
  (policy, now) => {
    const selector = policy.spec?.podSelector;
    const shown = selector === undefined ? '<none>' : orNone(formatSelector(selectorFromObject(selector)));
    return [nameOf(policy), shown, createdAgo(policy, now)];
  },
);

export const serviceCidrPrinter = printer<ServiceCIDR>(
  [NAME, text('CIDRs', 'Ranges that cluster addresses come from.'), AGE],
  (cidr, now) => [nameOf(cidr), (cidr.spec?.cidrs ?? []).join(','), createdAgo(cidr, now)],
);

export const ipAddressPrinter = printer<IPAddress>(
  [NAME, text('ParentRef', 'What has the address.'), AGE],
  (address, now) => {
    const parent = address.spec?.parentRef;
    const resource = parent?.group ? `${parent.resource}.${parent.group}` : (parent?.resource ?? '');
    const owner = parent?.namespace ? `${parent.namespace}/${parent.name}` : (parent?.name ?? '');
    return [nameOf(address), `${resource}/${owner}`, createdAgo(address, now)];
  },
);
