import { hostPort } from '@binnacle/base';
import type { Service } from '@binnacle/api/core/v1';

/**
 * The Docker-links environment of Services: `<NAME>_SERVICE_HOST`, `<NAME>_SERVICE_PORT[_<PORT>]`, `<NAME>_PORT…`.
 * Headless and external Services have none. With `links` off, a pod sees only `kubernetes` of `default`.
 */
export function serviceEnvironment(
  services: readonly Service[],
  namespace: string,
  links: boolean,
): Map<string, string> {
  const env = new Map<string, string>();
  // The master's Service first, so that one of the same name in the pod's own namespace wins.
  for (const service of services) if (isMaster(service)) addService(env, service);
  if (!links) return env;
  for (const service of services) if (service.metadata.namespace === namespace) addService(env, service);
  return env;
}

function isMaster(service: Service): boolean {
  return service.metadata.namespace === 'default' && service.metadata.name === 'kubernetes';
}

function addService(env: Map<string, string>, service: Service): void {
  const host = service.spec?.clusterIP ?? '';
  const ports = service.spec?.ports ?? [];
  const [first] = ports;
  if (host === '' || host === 'None' || first === undefined) return;
  const prefix = variableName(service.metadata.name ?? '');
  env.set(`${prefix}_SERVICE_HOST`, host);
  env.set(`${prefix}_SERVICE_PORT`, String(first.port));
  for (const port of ports) {
    if (port.name) env.set(`${prefix}_SERVICE_PORT_${variableName(port.name)}`, String(port.port));
  }
  const url = (protocol: string, port: number): string => `${protocol.toLowerCase()}://${hostPort(host, port)}`;
  env.set(`${prefix}_PORT`, url(first.protocol ?? 'TCP', first.port));
  for (const port of ports) {
    const protocol = port.protocol ?? 'TCP';
    const name = `${prefix}_PORT_${port.port}_${protocol}`;
    env.set(name, url(protocol, port.port));
    env.set(`${name}_PROTO`, protocol.toLowerCase());
    env.set(`${name}_PORT`, String(port.port));
    env.set(`${name}_ADDR`, host);
  }
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
