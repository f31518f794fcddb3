import { CONFIG_MAPS, ENDPOINT_SLICES, NAMESPACES, SERVICES } from '@binnacle/api';
import type { ConfigMap } from '@binnacle/api/core/v1';
import { messageOf } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { createInformer, referenceTo } from '@binnacle/client';
import type { Client, ClientWorld, EventRecorder } from '@binnacle/client';
import type { ClusterZone } from './cluster-zone.ts';
import { readForwarding } from './config.ts';
import { DnsConfigError } from './errors.ts';
import type { ForwardingConfig } from './forwarder.ts';
import { serviceRecord, sliceRecord } from './services.ts';

/** The ConfigMap of kube-dns: `stubDomains` and `upstreamNameservers`. */
export const CONFIG = { namespace: 'kube-system', name: 'kube-dns' } as const;

/** Whom to follow, and what to keep as it says. */
export interface Following {
  readonly client: Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
  readonly zone: ClusterZone;
  /** What holds where the ConfigMap says nothing. */
  readonly machine: () => ForwardingConfig;
  readonly configure: (config: ForwardingConfig) => void;
  /** Who is told of a ConfigMap that cannot be heeded. */
  readonly events: EventRecorder;
}

/**
 * Keeps the zone and the forwarding as the API has them. Resolves when everything there is now is in, with what is to be
 * called when `machine` answers something else.
 */
export async function followCluster(options: Following): Promise<() => void> {
  const { client, world, scope, zone } = options;
  const namespaces = createInformer(client, NAMESPACES, world);
  namespaces.subscribe({
    add: ({ metadata: { name = '' } }) => zone.setNamespace(name),
    remove: ({ metadata: { name = '' } }) => zone.removeNamespace(name),
  });
  const services = createInformer(client, SERVICES, world);
  services.subscribe({
    add: (service) => zone.setService(serviceRecord(service)),
    update: (_before, service) => zone.setService(serviceRecord(service)),
    remove: ({ metadata: { namespace = '', name = '' } }) => zone.removeService({ namespace, name }),
  });
  const slices = createInformer(client, ENDPOINT_SLICES, world);
  const replace = (before: Parameters<typeof sliceRecord>[0] | undefined, after: typeof before): void => {
    const [old, made] = [before, after].map((slice) => (slice === undefined ? undefined : sliceRecord(slice)));
    if (old !== undefined) zone.removeSlice(old);
    if (made !== undefined) zone.setSlice(made);
  };
  slices.subscribe({
    add: (slice) => replace(undefined, slice),
    update: replace,
    remove: (slice) => replace(slice, undefined),
  });
  const { maps, configureAgain } = followConfig(options);
  const all = [namespaces, services, slices, maps];
  for (const informer of all) informer.start(scope);
  await Promise.all(all.map((informer) => informer.whenSynced()));
  return configureAgain;
}

function followConfig({ client, world, machine, configure, events }: Following): {
  readonly maps: ReturnType<typeof createInformer<ConfigMap>>;
  readonly configureAgain: () => void;
} {
  const maps = createInformer(client, CONFIG_MAPS, world, {
    namespace: CONFIG.namespace,
    fieldSelector: `metadata.name=${CONFIG.name}`,
  });
  let last: ConfigMap | undefined;
  const apply = (map: ConfigMap | undefined): void => {
    last = map;
    if (map === undefined) return configure(machine());
    try {
      configure(readForwarding(map, machine()));
    } catch (error) {
      if (!(error instanceof DnsConfigError)) throw error;
      const reason = messageOf(error);
      const configMap = `${CONFIG.namespace}/${CONFIG.name}`;
      world.log.warn('the configuration of DNS is not as it should be; what held before goes on', {
        configMap,
        reason,
      });
      const message = `${reason}; the configuration that held before goes on`;
      events.event(referenceTo(CONFIG_MAPS, map), 'Warning', 'InvalidConfiguration', message);
    }
  };
  maps.subscribe({ add: apply, update: (_before, after) => apply(after), remove: () => apply(undefined) });
  return { maps, configureAgain: () => apply(last) };
}
