import { endpointStanding } from '@binnacle/api';
import type { APIService, APIServiceCondition } from '@binnacle/api/apiregistration/v1';
import type { Service } from '@binnacle/api/core/v1';
import type { EndpointSlice } from '@binnacle/api/discovery/v1';

/** What is known of the Service behind an APIService. */
export interface ServiceState {
  /** Undefined: there is none. */
  readonly service: Service | undefined;
  readonly slices: readonly EndpointSlice[];
}

const DEFAULT_PORT = 443;
/** What is wrong before anybody is asked, in upstream's words; undefined: the server can be asked. */
export function checkService({ spec }: APIService, { service, slices }: ServiceState): APIServiceCondition | undefined {
  const { name = '', namespace = '', port = DEFAULT_PORT } = spec.service ?? {};
  const which = `service/${name} in ${JSON.stringify(namespace)}`;
  if (service === undefined) return unavailable('ServiceNotFound', `${which} is not present`);
  // Others are not reached by endpoints.
  if ((service.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return undefined;
  const found = service.spec?.ports?.find((one) => one.port === port);
  if (found === undefined) return unavailable('ServicePortError', `${which} is not listening on port ${port}`);
  if (slices.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${which}`);
  const portName = found.name ?? '';
  if (slices.some((slice) => isServing(slice, portName))) return undefined;
  const message = `endpointslices for ${which} have no addresses with port name ${JSON.stringify(portName)}`;
  return unavailable('MissingEndpoints', message);
}

/** False, with the reason. */
export function unavailable(reason: string, message: string): APIServiceCondition {
  return { type: 'Available', status: 'False', reason, message };
}

function isServing({ endpoints, ports }: EndpointSlice, portName: string): boolean {
  if (!(endpoints ?? []).some((endpoint) => endpointStanding(endpoint) === 'ready')) return false;
  return (ports ?? []).some(({ name, port }) => (name ?? '') === portName && port !== undefined);
}
