import type { Container, Pod, Volume } from '@binnacle/api/core/v1';
import { allContainers } from '../container/pod-containers.ts';

const VOLUME_SOURCES = new Set(['emptyDir', 'hostPath', 'configMap', 'secret', 'projected', 'downwardAPI']);
const PROJECTED_SOURCES = new Set(['configMap', 'secret', 'serviceAccountToken', 'downwardAPI']);

/**
 * What a pod asks for that this kubelet does not do, one sentence each. Such a pod is held with a visible reason:
 * an ignored probe would be a false Ready.
 */
export function unsupportedAsks(pod: Pod): string[] {
  const spec = pod.spec;
  const asks: string[] = [];
  for (const volume of spec?.volumes ?? []) askVolume(volume, asks);
  for (const container of allContainers(pod)) askContainer(container, asks);
  for (const container of spec?.ephemeralContainers ?? []) {
    if (container.targetContainerName) asks.push(`ephemeral container ${container.name}: targetContainerName`);
  }
  if (spec?.runtimeClassName) asks.push(`runtimeClassName ${spec.runtimeClassName}`);
  if ((spec?.resourceClaims?.length ?? 0) > 0) asks.push('resourceClaims');
  if (spec?.hostUsers === false) asks.push('user namespaces (hostUsers: false)');
  if (spec?.os?.name !== undefined && spec.os.name !== 'linux') asks.push(`operating system ${spec.os.name}`);
  const security = spec?.securityContext;
  if (security?.supplementalGroupsPolicy === 'Strict') asks.push('supplementalGroupsPolicy Strict');
  if (security?.seccompProfile?.type === 'Localhost') asks.push('seccomp profile type Localhost');
  if (security?.appArmorProfile?.type === 'Localhost') asks.push('AppArmor profile type Localhost');
  return asks;
}

function askVolume(volume: Volume, asks: string[]): void {
  for (const source of Object.keys(volume)) {
    if (source !== 'name' && !VOLUME_SOURCES.has(source)) asks.push(`volume ${volume.name}: ${source}`);
  }
  for (const source of volume.projected?.sources ?? []) {
    for (const kind of Object.keys(source)) {
      if (!PROJECTED_SOURCES.has(kind)) asks.push(`volume ${volume.name}: projected ${kind}`);
    }
  }
  if (volume.emptyDir?.medium?.startsWith('HugePages'))
    asks.push(`volume ${volume.name}: medium ${volume.emptyDir.medium}`);
}

function askContainer(container: Container, asks: string[]): void {
  const { name } = container;
  for (const [kind, probe] of [
    ['livenessProbe', container.livenessProbe],
    ['readinessProbe', container.readinessProbe],
    ['startupProbe', container.startupProbe],
  ] as const) {
    if (probe?.grpc !== undefined) asks.push(`container ${name}: ${kind} grpc`);
  }
  for (const [hook, handler] of [
    ['postStart', container.lifecycle?.postStart],
    ['preStop', container.lifecycle?.preStop],
  ] as const) {
    if (handler?.tcpSocket !== undefined) asks.push(`container ${name}: ${hook} tcpSocket`);
  }
  if ((container.volumeDevices?.length ?? 0) > 0) asks.push(`container ${name}: volumeDevices`);
  if ((container.resources?.claims?.length ?? 0) > 0) asks.push(`container ${name}: resource claims`);
  for (const resource of Object.keys(container.resources?.limits ?? {})) {
    if (resource.includes('/') || resource.startsWith('hugepages-'))
      asks.push(`container ${name}: resource ${resource}`);
  }
  if (container.securityContext?.seccompProfile?.type === 'Localhost')
    asks.push(`container ${name}: seccomp Localhost`);
  if (container.securityContext?.appArmorProfile?.type === 'Localhost')
    asks.push(`container ${name}: AppArmor Localhost`);
  for (const mount of container.volumeMounts ?? []) {
    if (mount.recursiveReadOnly === 'Enabled') asks.push(`container ${name}: recursiveReadOnly mounts`);
  }
}
