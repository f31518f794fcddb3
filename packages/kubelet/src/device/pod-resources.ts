/** The pod resources API: who on this node has which devices, for those who watch over them. */
import { isSidecar } from '@binnacle/api';
import type { Container, Pod } from '@binnacle/api/core/v1';
import { PluginRefusal } from '../plugin/plugin-error.ts';
import type { ExclusiveCpus } from '../cpu/exclusive-cpus.ts';
import type { MemoryBlock } from '../memory/memory-table.ts';
import type { OwnMemory } from '../memory/own-memory.ts';
import type { HostFiles, PluginWire } from '../ports.ts';
import type { Device } from './device-plugin.ts';
import type { NodeClaims } from '../claim/node-claims.ts';
import type { NodeDevices } from './node-devices.ts';

interface Served {
  readonly devices: Pick<NodeDevices, 'held' | 'devices'>;
  readonly claims: Pick<NodeClaims, 'devicesOf'>;
  /** What containers have alone, and what could be given out. */
  readonly givers: () => {
    readonly cpus: Pick<ExclusiveCpus, 'own' | 'givable'> | undefined;
    readonly memory: Pick<OwnMemory, 'held' | 'givable'> | undefined;
  };
  /** Those that have not ended. */
  readonly pods: () => readonly Pod[];
}

/** Serves it on `<directory>/kubelet.sock`. Answers with how to close it. */
export async function servePodResources(
  of: Served & { readonly directory: string; readonly files: HostFiles; readonly wire: PluginWire },
): Promise<() => Promise<void>> {
  const path = `${of.directory}/kubelet.sock`;
  await of.files.makeDirectory(of.directory, 0o750);
  await of.files.remove(path);
  return of.wire.serve(path, 'podResources', {
    'v1.PodResourcesLister': {
      List: async () => ({ pod_resources: of.pods().map((pod) => resourcesOf(of, pod)) }),
      Get: async (request) => {
        const { pod_name: name, pod_namespace: namespace } = request as { pod_name: string; pod_namespace: string };
        const pod = of.pods().find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
        if (pod === undefined) throw new PluginRefusal(`pod ${name} in namespace ${namespace} not found`);
        return { pod_resources: resourcesOf(of, pod) };
      },
      GetAllocatableResources: async () => ({
        cpu_ids: of.givers().cpus?.givable ?? [],
        memory: (of.givers().memory?.givable ?? []).map(memoryMessage),
        devices: [...of.devices.devices()].flatMap(([resource, all]) =>
          [...all.values()].map((device) => deviceMessage(resource, [device])),
        ),
      }),
    },
  });
}

/** One pod's part of the answer. */
export function resourcesOf(
  { devices, claims, givers }: Pick<Served, 'devices' | 'claims' | 'givers'>,
  pod: Pod,
): object {
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  const all = devices.devices();
  const { cpus, memory } = givers();
  const containers = [...(pod.spec.initContainers ?? []).filter(isSidecar), ...pod.spec.containers];
  return {
    name,
    namespace,
    containers: containers.map((container) => ({
      name: container.name,
      cpu_ids: cpus?.own(uid, container.name) ?? [],
      memory: (memory?.held(uid, container.name) ?? []).map(memoryMessage),
      dynamic_resources: dynamicResources(claims, pod, container),
      devices: [...devices.held(uid, container.name)].map(([resource, { ids }]) =>
        deviceMessage(
          resource,
          ids.map((id) => all.get(resource)?.get(id) ?? { id, isHealthy: false, numaNodes: [] }),
        ),
      ),
    })),
  };
}

/** Of a pod whose claims are not prepared yet there is nothing to tell. */
function dynamicResources(claims: Served['claims'], pod: Pod, container: Container): readonly object[] {
  try {
    return claims.devicesOf(pod, container).map(({ claim, devices }) => ({
      claim_name: claim.name,
      claim_namespace: claim.namespace,
      claim_resources: devices.map(({ driver, pool, device, share, cdiIds }) => ({
        cdi_devices: cdiIds.map((name) => ({ name })),
        driver_name: driver,
        pool_name: pool,
        device_name: device,
        ...(share === undefined ? {} : { share_id: share }),
      })),
    }));
  } catch (error) {
    if (error instanceof PluginRefusal) return [];
    throw error;
  }
}

function memoryMessage({ nodes, resource, bytes }: MemoryBlock): object {
  return { memory_type: resource, size: bytes, topology: { nodes: nodes.map((ID) => ({ ID })) } };
}

function deviceMessage(resource: string, devices: readonly Device[]): object {
  const nodes = [...new Set(devices.flatMap(({ numaNodes }) => numaNodes))];
  return {
    resource_name: resource,
    device_ids: devices.map(({ id }) => id),
    ...(nodes.length === 0 ? {} : { topology: { nodes: nodes.map((ID) => ({ ID })) } }),
  };
}
