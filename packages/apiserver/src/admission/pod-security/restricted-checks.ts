import type { Volume } from '@binnacle/api/core/v1';
import { checkSeccomp, isSeccompProfile, usage } from './baseline-checks.ts';
import { containersOf, hasUserNamespace, named, namesWhere, offenders, plural } from './violation.ts';
import { quoted, settingsOf, sorted } from './violation.ts';
import type { AnyContainer, Check, PodLike } from './violation.ts';

/** Since 1.25 pods say that they are for Windows, where these fields cannot be set. */
export function exceptWindows(check: Check): Check {
  return (pod) => (pod.spec.os?.name === 'windows' ? undefined : check(pod));
}

/** Since 1.35 pods in a user namespace of their own need not. */
export function exceptInUserNamespace(check: Check): Check {
  return (pod) => (hasUserNamespace(pod) ? undefined : check(pod));
}

export const checkPrivilegeEscalation: Check = (pod) => {
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (names.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${named('container', names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

export const checkCapabilitiesDropped: Check = (pod) => {
  const added = ({ securityContext }: AnyContainer): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((one) => one !== 'NET_BIND_SERVICE');
  const keeping = namesWhere(pod, ({ securityContext }) => {
    return securityContext?.capabilities?.drop?.includes('ALL') !== true;
  });
  const adding = namesWhere(pod, (container) => added(container).length > 0);
  const details: string[] = [];
  if (keeping.length > 0) {
    details.push(`${named('container', keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  }
  if (adding.length > 0) {
    const bad = quoted(sorted(containersOf(pod).flatMap(added)));
    details.push(`${named('container', adding)} must not include ${bad} in securityContext.capabilities.add`);
  }
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const ALLOWED_VOLUMES: readonly (keyof Volume)[] = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** In the order in which a volume that has several is told by the first. */
const REFUSED_VOLUMES: readonly (keyof Volume)[] = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

export const checkVolumeTypes: Check = ({ spec }) => {
  const has = (volume: Volume) => (type: keyof Volume) => volume[type] !== undefined;
  const bad = (spec.volumes ?? []).filter((volume) => !ALLOWED_VOLUMES.some(has(volume)));
  if (bad.length === 0) return undefined;
  const types = sorted(bad.map((volume) => REFUSED_VOLUMES.find(has(volume)) ?? 'unknown'));
  const what = `${plural('restricted volume type', types.length)} ${quoted(types)}`;
  return {
    reason: 'restricted volume types',
    detail: usage(
      'volume',
      bad.map(({ name }) => name),
      what,
    ),
  };
};

export const checkRunAsNonRoot: Check = (pod) => {
  const settings = settingsOf(pod, ({ runAsNonRoot }) => runAsNonRoot);
  const reason = 'runAsNonRoot != true';
  const { who } = offenders(settings, (nonRoot) => !nonRoot);
  if (who.length > 0) return { reason, detail: `${who.join(' and ')} must not set securityContext.runAsNonRoot=false` };
  const silent = settings.pod === true ? [] : silentContainers(settings);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${named('container', silent)} must set securityContext.runAsNonRoot=true` };
};

function silentContainers(settings: ReturnType<typeof settingsOf<unknown>>): string[] {
  return settings.containers.filter(({ value }) => value === undefined).map(({ name }) => name);
}

export const checkRunAsUser: Check = (pod) => {
  const settings = settingsOf(pod, ({ runAsUser }) => runAsUser);
  const { who } = offenders(settings, (user) => Number(user) === 0);
  if (who.length === 0) return undefined;
  return { reason: 'runAsUser=0', detail: `${who.join(' and ')} must not set runAsUser=0` };
};

export const checkSeccompSet: Check = (pod: PodLike) => {
  const refused = checkSeccomp(pod);
  if (refused !== undefined) return refused;
  const settings = settingsOf(pod, ({ seccompProfile }) => seccompProfile?.type);
  const silent = settings.pod !== undefined && isSeccompProfile(settings.pod) ? [] : silentContainers(settings);
  if (silent.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `pod or ${named('container', silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};
