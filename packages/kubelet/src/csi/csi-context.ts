/** What a driver is told of the pod that a volume is for, and how the volume is to be had. */
import { base64ToBytes, formatTime } from '@binnacle/base';
import type { Pod, Secret } from '@binnacle/api/core/v1';
import type { CSIDriver } from '@binnacle/api/storage/v1';
import { VolumeError } from '../errors.ts';
import type { ObjectReader } from '../ports.ts';
import { accessModeOf } from './csi-client.ts';
import type { CsiAccess, CsiClient } from './csi-client.ts';

export type Texts = { readonly [key: string]: string };

/** A volume as a pod's definition, or its PersistentVolume, describes it. */
export interface CsiVolume {
  readonly driver: string;
  readonly handle: string;
  /** Of the PersistentVolume, or of the pod's own volume. */
  readonly name: string;
  readonly lifecycle: 'Persistent' | 'Ephemeral';
  readonly isBlock: boolean;
  readonly readOnly: boolean;
  readonly fsType: string;
  readonly mountOptions: readonly string[];
  readonly accessModes: readonly string[];
  readonly attributes: Texts;
  readonly secrets: { readonly stage?: SecretName; readonly publish?: SecretName; readonly expand?: SecretName };
  /** Absent: it has the size that its claim knows of. */
  readonly growth?: CsiGrowth;
}

/** A volume became larger than its claim says. */
export interface CsiGrowth {
  readonly bytes: number;
  /** Writes it to the claim. */
  readonly done: () => Promise<void>;
}

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

const NAMES = 'csi.storage.k8s.io';

/** Throws VolumeError where a driver does not do volumes of such a life. No CSIDriver object: it does those that last. */
export function checkLifecycle(driver: CSIDriver | undefined, { driver: name, lifecycle }: CsiVolume): void {
  if (driver === undefined && lifecycle === 'Persistent') return;
  const modes = driver?.spec.volumeLifecycleModes ?? ['Persistent'];
  if (driver !== undefined && modes.includes(lifecycle)) return;
  const why = driver === undefined ? 'no CSIDriver object' : `only supports ${JSON.stringify(modes)}`;
  throw new VolumeError(name, `volume mode "${lifecycle}" not supported by driver ${name} (${why})`);
}

/** Of the pod, where the driver wants to know it. Pure. */
export function podInfo(driver: CSIDriver | undefined, pod: Pod, lifecycle: CsiVolume['lifecycle']): Texts {
  if (driver?.spec.podInfoOnMount !== true) return {};
  return {
    [`${NAMES}/pod.name`]: pod.metadata.name ?? '',
    [`${NAMES}/pod.namespace`]: pod.metadata.namespace ?? '',
    [`${NAMES}/pod.uid`]: pod.metadata.uid ?? '',
    [`${NAMES}/serviceAccount.name`]: pod.spec.serviceAccountName ?? '',
    [`${NAMES}/ephemeral`]: String(lifecycle === 'Ephemeral'),
  };
}

const TOKEN_SECONDS = 3600;

/** Tokens of the pod's account for those that the driver names; `expiresAt` in milliseconds since the epoch, Infinity: none. */
export async function podTokens(
  driver: CSIDriver | undefined,
  pod: Pod,
  objects: Pick<ObjectReader, 'token'>,
): Promise<{ readonly texts: Texts; readonly expiresAt: number }> {
  const requests = driver?.spec.tokenRequests ?? [];
  if (requests.length === 0) return { texts: {}, expiresAt: Infinity };
  const tokens: [string, { readonly token: string; readonly expirationTimestamp: string }][] = [];
  let expiresAt = Infinity;
  for (const { audience, expirationSeconds = TOKEN_SECONDS } of requests) {
    const token = await objects.token(pod, audience, expirationSeconds);
    expiresAt = Math.min(expiresAt, token.expiresAt);
    tokens.push([audience, { token: token.token, expirationTimestamp: formatTime(token.expiresAt) }]);
  }
  return { texts: { [`${NAMES}/serviceAccount.tokens`]: JSON.stringify(Object.fromEntries(tokens)) }, expiresAt };
}

/** What a secret holds, as texts. Throws VolumeError where there is none. */
export async function secretTexts(
  objects: Pick<ObjectReader, 'secret' | 'release'>,
  wanted: SecretName | undefined,
): Promise<Texts> {
  if (wanted === undefined) return {};
  const holder = { changed: () => undefined };
  try {
    const secret: Secret | undefined = await objects.secret(wanted.namespace, wanted.name, holder);
    if (secret === undefined) throw new VolumeError(wanted.name, `secret "${wanted.name}" not found`);
    const decoder = new TextDecoder();
    return Object.fromEntries(
      Object.entries(secret.data ?? {}).map(([key, value]) => [key, decoder.decode(base64ToBytes(value))]),
    );
  } finally {
    objects.release(holder);
  }
}

/** In whose hands giving a volume to the pod's group is. */
export interface GroupPlan {
  /** The driver does it. */
  readonly byDriver?: number;
  /** The kubelet does it, once the volume is there. */
  readonly byKubelet?: number;
}

/** Pure. `delegates`: the driver has VOLUME_MOUNT_GROUP. */
export function planGroup(
  driver: CSIDriver | undefined,
  volume: CsiVolume,
  of: { readonly pod: Pod; readonly delegates: boolean },
): GroupPlan {
  const group = of.pod.spec.securityContext?.fsGroup;
  if (group === undefined || volume.isBlock) return {};
  if (of.delegates) return { byDriver: group };
  const policy = driver?.spec.fsGroupPolicy ?? 'ReadWriteOnceWithFSType';
  if (policy === 'None' || volume.readOnly) return {};
  if (policy === 'File') return { byKubelet: group };
  const once = volume.accessModes.some((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');
  return volume.fsType !== '' && (volume.lifecycle === 'Ephemeral' || once) ? { byKubelet: group } : {};
}

/** How a driver is asked for a volume. */
export async function accessTo(client: CsiClient, volume: CsiVolume, group: GroupPlan): Promise<CsiAccess> {
  const [first = 'ReadWriteOnce'] = volume.accessModes;
  return {
    mode: accessModeOf(first, await client.can('SINGLE_NODE_MULTI_WRITER')),
    isBlock: volume.isBlock,
    fsType: volume.fsType,
    mountOptions: volume.mountOptions,
    ...(group.byDriver === undefined ? {} : { group: group.byDriver }),
  };
}
