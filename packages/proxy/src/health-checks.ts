import type { Service } from '@binnacle/api/core/v1';
import type { EndpointsByPort } from './endpoints.ts';
import type { HealthReply } from './health.ts';

/** A Service whose load balancer asks each node whether it has somebody who answers. */
export interface HealthCheck {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** Addresses of this node that are ready. */
  readonly localEndpoints: number;
}

/** Keeps servers of health checks. */
export interface HealthCheckPorts {
  /** From now on these and no others, by the Service's key. What cannot be listened on is told to `refused`. */
  keep(
    checks: ReadonlyMap<string, HealthCheck>,
    of: {
      readonly isHealthy: () => boolean;
      /** CIDRs that are answered beside the machine itself; absent: everybody. */
      readonly insiders: readonly string[] | undefined;
      /** Addresses of the machine where somebody answers, those of node ports; absent: all. */
      readonly addresses: readonly string[] | undefined;
      readonly refused: (check: HealthCheck, reason: string) => void;
    },
  ): Promise<void>;
}

/** The health check that a Service asks for: external traffic for this node's endpoints alone, by a load balancer. */
export function healthCheckOf(service: Service, endpoints: EndpointsByPort): HealthCheck | undefined {
  const { metadata, spec } = service;
  const port = spec?.healthCheckNodePort ?? 0;
  if (spec?.type !== 'LoadBalancer' || spec.externalTrafficPolicy !== 'Local' || port === 0) return undefined;
  const ready = [...endpoints.values()].flatMap((places) =>
    places.filter(({ local, standing }) => local && standing === 'ready'),
  );
  const localEndpoints = new Set(ready.map(({ address }) => address)).size;
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '', port, localEndpoints };
}

/** What is answered, whatever is asked for: load balancers look at the status, and some at the weight. */
export function answerHealthCheck(
  { namespace, name, localEndpoints }: HealthCheck,
  isHealthy: boolean,
): HealthReply & { readonly headers: { readonly [name: string]: string } } {
  const told = { service: { namespace, name }, localEndpoints, serviceProxyHealthy: isHealthy };
  return {
    status: localEndpoints > 0 && isHealthy ? 200 : 503,
    type: 'application/json',
    headers: { 'x-content-type-options': 'nosniff', 'x-load-balancing-endpoint-weight': `${localEndpoints}` },
    body: JSON.stringify(told, undefined, '\t'),
  };
}
