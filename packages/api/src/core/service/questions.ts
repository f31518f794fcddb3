import type { Service } from '../../generated/core-v1.ts';

/** Has no address of its own: its name resolves to its pods. */
export function isHeadless(service: Service): boolean {
  const ips = service.spec?.clusterIPs ?? [];
  return ips.length === 0 ? service.spec?.clusterIP === 'None' : ips.length === 1 && ips[0] === 'None';
}

/** Must a load balancer ask the nodes which of them have pods of the service? */
export function needsHealthCheck(service: Service): boolean {
  return service.spec?.type === 'LoadBalancer' && service.spec.externalTrafficPolicy === 'Local';
}
