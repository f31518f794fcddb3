/** Volumes that a PersistentVolumeClaim is bound to: those on this node by path, and those of CSI drivers. */
import { messageOf } from '@binnacle/base';
import type { PersistentVolume, PersistentVolumeClaim, Pod, SecretReference } from '@binnacle/api/core/v1';
import { wholeValue } from '../../container/amount.ts';
import { allContainers } from '../../container/pod-containers.ts';
import type { CsiGrowth, CsiVolume } from '../../csi/csi-context.ts';
import { VolumeError, VolumeUnprocessed } from '../../errors.ts';
import type { HostFiles } from '../../ports.ts';
import type { MountedVolume, VolumeCall, VolumeDriver } from '../driver.ts';
import { checkHostPath } from './host-path.ts';

/** A claim by its name. */
export const claimDriver: VolumeDriver = {
  source: 'persistentVolumeClaim',
  plugin: 'claim',
  setUp(call) {
    const { claimName = '', readOnly = false } = call.volume.persistentVolumeClaim ?? {};
    return setUpClaim(call, { claimName, readOnly, owned: false });
  },
};

/** A claim that was made for this pod alone, named after both. */
export const ephemeralDriver: VolumeDriver = {
  source: 'ephemeral',
  plugin: 'claim',
  setUp: (call) =>
    setUpClaim(call, {
      claimName: `${call.pod.metadata.name ?? ''}-${call.volume.name}`,
      readOnly: false,
      owned: true,
    }),
};

interface ClaimUse {
  readonly claimName: string;
  readonly readOnly: boolean;
  /** The pod has to be its owner. */
  readonly owned: boolean;
}

async function setUpClaim(call: VolumeCall, use: ClaimUse): Promise<MountedVolume> {
  const { pod, objects, volume: asked } = call;
  if (objects === undefined) throw new VolumeError(asked.name, 'no API server to ask for the claim');
  const name = `${pod.metadata.namespace ?? ''}/${use.claimName}`;
  const claim = await fetched(asked.name, name, {
    what: 'PVC',
    read: () => objects.claim(pod.metadata.namespace ?? '', use.claimName),
    absent: `persistentvolumeclaims "${use.claimName}" not found`,
  });
  if (use.owned && !claim.metadata.ownerReferences?.some((o) => o.uid === pod.metadata.uid && o.controller === true)) {
    throw new VolumeUnprocessed(
      asked.name,
      `PVC ${name} was not created for pod ${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''} (pod is not owner)`,
    );
  }
  // It is to go as soon as nobody uses it: nobody may begin to. Who has it keeps it.
  if (claim.metadata.deletionTimestamp !== undefined && !hadBefore(call)) {
    throw trouble(asked.name, name, 'PVC is being deleted');
  }
  const mounted = await mountedClaim(call, use, claim);
  call.memory.set(HAD, 'yes');
  return mounted;
}

/** What a driver remembers of a claim's volume: it was set up. */
const HAD = 'had';

/** Whether the volume was set up for this pod once: by us, or by the kubelet before us, as there are containers. */
function hadBefore({ pod, memory }: VolumeCall): boolean {
  if (memory.has(HAD)) return true;
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  return [...initContainerStatuses, ...containerStatuses].some(({ containerID = '' }) => containerID !== '');
}

async function mountedClaim(call: VolumeCall, use: ClaimUse, claim: PersistentVolumeClaim): Promise<MountedVolume> {
  const volume = await boundVolume(call, claim, `${call.pod.metadata.namespace ?? ''}/${use.claimName}`);
  const mounted = await mountedVolume(call, use, { claim, volume });
  const group = ownGroup(volume);
  return group === undefined ? mounted : { ...mounted, group };
}

/** The group that an administrator says a volume belongs to; as upstream, what is no number says nothing. */
function ownGroup({ metadata }: PersistentVolume): number | undefined {
  const text = metadata.annotations?.['pv.beta.kubernetes.io/gid'] ?? '';
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

async function mountedVolume(
  call: VolumeCall,
  use: ClaimUse,
  { claim, volume }: { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume },
): Promise<MountedVolume> {
  const { pod, files, volume: asked } = call;
  const isBlock = claim.spec.volumeMode === 'Block';
  checkUse(pod, asked.name, isBlock);
  if (volume.spec.csi !== undefined) {
    return { ...(await setUpCsi(call, { claim, volume, readOnly: use.readOnly })), claim: use.claimName };
  }
  if (isBlock) return blockOf(volume, asked.name, use.readOnly);
  const { path, readOnly } = await pathOf(files, volume, asked.name);
  const mounted = { hostPath: path, readOnly: readOnly || use.readOnly };
  if (!mounted.readOnly && volume.spec.local !== undefined) await giveToGroup(files, pod, path);
  return mounted;
}

async function boundVolume(call: VolumeCall, claim: PersistentVolumeClaim, name: string): Promise<PersistentVolume> {
  const { volumeName = '' } = claim.spec ?? {};
  const { phase = '' } = claim.status ?? {};
  const fail = (message: string): never => {
    throw trouble(call.volume.name, name, message);
  };
  if (phase !== 'Bound') return fail('PVC is not bound');
  if (volumeName === '') return fail('PVC has empty pvc.Spec.VolumeName');
  const volume = await fetched(call.volume.name, name, {
    what: `PV ${volumeName}`,
    read: async () => call.objects?.persistentVolume(volumeName),
    absent: `persistentvolumes "${volumeName}" not found`,
  });
  const { claimRef } = volume.spec;
  const found = `found PV object ${volumeName} but`;
  if (claimRef === undefined)
    return fail(`${found} it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`);
  if (claimRef.uid !== claim.metadata.uid) {
    const uids = [claimRef.uid ?? '', claim.metadata.uid ?? ''] as const;
    return fail(`${found} its pv.Spec.ClaimRef.UID ${uids[0]} does not point to claim.UID ${uids[1]}`);
  }
  return volume;
}

/** A claim is a folder or a device, and containers have to ask for what it is. Throws VolumeError. */
function checkUse(pod: Pod, name: string, isBlock: boolean): void {
  const containers = allContainers(pod);
  const mounts = containers.some((c) => c.volumeMounts?.some((mount) => mount.name === name) === true);
  const devices = containers.some((c) => c.volumeDevices?.some((device) => device.name === name) === true);
  if (isBlock && mounts) {
    throw new VolumeUnprocessed(name, `volume ${name} has volumeMode Block, but is specified in volumeMounts`);
  }
  if (!isBlock && devices) {
    throw new VolumeUnprocessed(name, `volume ${name} has volumeMode Filesystem, but is specified in volumeDevices`);
  }
}

/** A device of the node. */
function blockOf(volume: PersistentVolume, name: string, readOnly: boolean): MountedVolume {
  const path = volume.spec.local?.path;
  if (path === undefined) {
    throw new VolumeError(name, `volume ${volume.metadata.name ?? ''} cannot be a block device on this node`);
  }
  return { hostPath: path, readOnly, isBlock: true };
}

async function setUpCsi(
  call: VolumeCall,
  of: { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume; readonly readOnly: boolean },
): Promise<MountedVolume> {
  const { pod, csi, holder, memory } = call;
  if (csi === undefined) throw new VolumeError(call.volume.name, 'this node has no CSI drivers');
  const wanted = csiVolumeOf(call, of);
  const { path, refreshAt } = await csi.setUp(wanted, { pod, holder, memory });
  return {
    hostPath: path,
    readOnly: wanted.readOnly,
    driverVolume: wanted.name,
    ...(wanted.isBlock ? { isBlock: true } : {}),
    ...(refreshAt === undefined ? {} : { refreshAt }),
  };
}

function csiVolumeOf(
  { objects }: VolumeCall,
  of: { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume; readonly readOnly: boolean },
): CsiVolume {
  const { claim, volume } = of;
  const { csi, accessModes = [], mountOptions = [], capacity = {} } = volume.spec;
  const growth = growthOf(claim, capacity['storage'] ?? '', objects);
  return {
    driver: csi?.driver ?? '',
    handle: csi?.volumeHandle ?? '',
    name: volume.metadata.name ?? '',
    lifecycle: 'Persistent',
    isBlock: claim.spec.volumeMode === 'Block',
    readOnly: of.readOnly || csi?.readOnly === true,
    fsType: csi?.fsType ?? '',
    mountOptions,
    accessModes,
    attributes: csi?.volumeAttributes ?? {},
    secrets: {
      ...named('stage', csi?.nodeStageSecretRef),
      ...named('publish', csi?.nodePublishSecretRef),
      ...named('expand', csi?.nodeExpandSecretRef),
    },
    ...(growth === undefined ? {} : { growth }),
  };
}

function named(use: 'stage' | 'publish' | 'expand', secret: SecretReference | undefined): CsiVolume['secrets'] {
  return secret === undefined ? {} : { [use]: { namespace: secret.namespace ?? '', name: secret.name ?? '' } };
}

const RESIZING: ReadonlySet<string> = new Set(['Resizing', 'FileSystemResizePending']);

/** The volume is larger than its claim was told: what is on it has to grow, and the claim to know. */
function growthOf(
  claim: PersistentVolumeClaim,
  capacity: string,
  objects: VolumeCall['objects'],
): CsiGrowth | undefined {
  const bytes = wholeValue(capacity);
  const has = claim.status?.capacity?.['storage'];
  if (has === undefined || bytes <= wholeValue(has)) return undefined;
  const conditions = (claim.status?.conditions ?? []).filter(({ type }) => !RESIZING.has(type));
  const status = {
    capacity: { storage: capacity },
    conditions,
    allocatedResourceStatuses: { storage: null },
  };
  return { bytes, done: async () => objects?.tellClaim(claim, status) };
}

async function pathOf(
  files: HostFiles | undefined,
  volume: PersistentVolume,
  name: string,
): Promise<{ readonly path: string; readonly readOnly: boolean }> {
  const { hostPath, local } = volume.spec;
  if (hostPath !== undefined) {
    if (files !== undefined) await checkHostPath(files, hostPath);
    return { path: hostPath.path, readOnly: false };
  }
  if (local !== undefined) {
    const kind = await files?.kind(local.path);
    if (kind === 'absent') throw new VolumeError(name, `path "${local.path}" does not exist`);
    if (kind !== undefined && kind !== 'directory')
      throw new VolumeError(name, `path "${local.path}" is not a directory`);
    return { path: local.path, readOnly: false };
  }
  const kind = Object.keys(volume.spec).find((field) => !NO_SOURCE.has(field)) ?? 'nothing known';
  throw new VolumeError(name, `volume ${volume.metadata.name ?? ''} (${kind}) is not supported by this kubelet`);
}

/** Fields of a PersistentVolume's spec that say nothing of where it is. */
const NO_SOURCE: ReadonlySet<string> = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

async function giveToGroup(files: HostFiles | undefined, pod: Pod, path: string): Promise<void> {
  const { fsGroup: gid, fsGroupChangePolicy } = pod.spec.securityContext ?? {};
  if (gid === undefined) return;
  await files?.changeGroup(path, { gid, readOnly: false, onMismatch: fsGroupChangePolicy === 'OnRootMismatch' });
}

/** What the API has of it, in upstream's words where it has not, or does not say. */
async function fetched<T>(
  volume: string,
  claim: string,
  of: { readonly what: string; readonly read: () => Promise<T | undefined>; readonly absent: string },
): Promise<T> {
  let found: T | undefined;
  try {
    found = await of.read();
  } catch (error) {
    const message = `error processing PVC ${claim}: failed to fetch ${of.what} from API server: ${messageOf(error)}`;
    throw new VolumeUnprocessed(volume, message, { cause: error });
  }
  if (found === undefined) throw trouble(volume, claim, `failed to fetch ${of.what} from API server: ${of.absent}`);
  return found;
}

function trouble(volume: string, claim: string, message: string): VolumeError {
  return new VolumeUnprocessed(volume, `error processing PVC ${claim}: ${message}`);
}
