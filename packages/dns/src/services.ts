import { endpointStanding, wellknown } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';

/** A port with its protocol in lower case. */
export interface PortRecord {
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
}

/** What the zone needs of a Service. */
export interface ServiceRecord {
  readonly namespace: string;
  readonly name: string;
  readonly headless: boolean;
  /** Cluster IPs; none for headless ones. */
  readonly addresses: readonly string[];
  /** Empty unless it is of type ExternalName. */
  readonly externalName: string;
  readonly ports: readonly PortRecord[];
}

/** One address of an endpoint that may be told about. */
export interface EndpointRecord {
  readonly address: string;
  /** Empty: it goes by its address. */
  readonly hostname: string;
}

/** What the zone needs of an EndpointSlice. */
export interface SliceRecord {
  readonly namespace: string;
  readonly name: string;
  readonly service: string;
  readonly endpoints: readonly EndpointRecord[];
  readonly ports: readonly PortRecord[];
}

const NONE = 'None';

/** A Service as the zone takes it. */
export function serviceRecord({ metadata, spec }: Service): ServiceRecord {
  const ips = spec?.clusterIPs ?? (spec?.clusterIP === undefined ? [] : [spec.clusterIP]);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    headless: ips.includes(NONE),
    addresses: ips.filter((ip) => ip !== NONE && ip !== ''),
    externalName: spec?.type === 'ExternalName' ? (spec.externalName ?? '') : '',
    ports: portRecords(spec?.ports ?? []),
  };
}

/** A slice as the zone takes it; undefined for one that belongs to no Service. Only ready endpoints are told about. */
export function sliceRecord({ metadata, endpoints, ports }: EndpointSlice): SliceRecord | undefined {
  const service = metadata.labels?.[wellknown.LABEL_SERVICE_NAME];
  if (service === undefined) return undefined;
  const ready = (endpoints ?? []).filter((endpoint) => endpointStanding(endpoint) === 'ready');
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    service,
    endpoints: ready.flatMap(({ addresses, hostname = '' }) => addresses.map((address) => ({ address, hostname }))),
    ports: portRecords(ports ?? []),
  };
}

function portRecords(
  ports: readonly { readonly name?: string; readonly protocol?: string; readonly port?: number }[],
): PortRecord[] {
  return ports.flatMap(({ name = '', protocol = 'TCP', port }) =>
    port === undefined ? [] : [{ name, protocol: protocol.toLowerCase(), port }],
  );
}
