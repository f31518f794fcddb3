import {
  CSI_VOLUME_PREFIX,
  csiAttachmentName,
  csiVolumeName,
  isPodTerminal,
  parseCsiVolumeName,
  wellknown,
} from '@binnacle/api';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '@binnacle/api/core/v1';
import type { CSIDriver, VolumeAttachment } from '@binnacle/api/storage/v1';
import { cacheKey } from '@binnacle/client';
import type { Informer } from '@binnacle/client';
import { BY_CLAIM, claimKeysOf, claimNameOf, isMadeFor } from '../claims-of-pods.ts';
import { BY_NODE } from '../pods-by-node.ts';

/** Index of volumes: by the name that nodes know them under. */
const BY_CSI_NAME = 'csi-name';
/** Index of volumes: by `namespace/name` of the claim that they are bound to. */
const BY_BOUND_CLAIM = 'bound-claim';
/** Index of volumes: by CSI driver. */
const BY_DRIVER = 'csi-driver';
/** Index of attachments: by volume. */
const BY_VOLUME = 'volume';
/** Index of nodes: by the volumes that their status names. */
const BY_REPORTED = 'reported-volume';

const CSI_INDEX = ({ spec }: PersistentVolume): readonly string[] => {
  const csi = spec?.csi;
  return csi === undefined ? [] : [csiVolumeName({ driver: csi.driver, handle: csi.volumeHandle })];
};

/** The indexes that the caches need. */
export const VOLUME_INDEXES: { readonly [name: string]: (volume: PersistentVolume) => readonly string[] } = {
  [BY_CSI_NAME]: CSI_INDEX,
  [BY_BOUND_CLAIM]: ({ spec }) =>
    spec?.claimRef === undefined ? [] : [`${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`],
  [BY_DRIVER]: ({ spec }) => (spec?.csi === undefined ? [] : [spec.csi.driver]),
};
export const ATTACHMENT_INDEXES: { readonly [name: string]: (attachment: VolumeAttachment) => readonly string[] } = {
  [BY_NODE]: ({ spec }) => [spec.nodeName],
  [BY_VOLUME]: ({ spec }) => (spec.source.persistentVolumeName === undefined ? [] : [spec.source.persistentVolumeName]),
};
export const NODE_INDEXES: { readonly [name: string]: (node: Node) => readonly string[] } = {
  [BY_REPORTED]: (node) => [...new Set([...reportedVolumes(node), ...(node.status?.volumesInUse ?? [])])],
};

/** The caches from which everything follows. */
export interface VolumeCaches {
  readonly pods: Informer<Pod>;
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly volumes: Informer<PersistentVolume>;
  readonly nodes: Informer<Node>;
  readonly drivers: Informer<CSIDriver>;
  readonly attachments: Informer<VolumeAttachment>;
}

/** Questions about volumes of CSI drivers, their pods and where they are. Volumes go by the name that nodes know them under. */
export class AttachableVolumes {
  readonly #caches: VolumeCaches;
  /** What was found once: a name that fits fits for ever, and costs a hash. */
  readonly #volumeOf = new WeakMap<VolumeAttachment, string>();

  constructor(caches: VolumeCaches) {
    this.#caches = caches;
  }

  /** The volumes that the pod's claims are bound to. */
  ofPod(pod: Pod): readonly string[] {
    return claimKeysOf(pod).flatMap((key) => this.ofClaim(key));
  }

  ofClaim(key: string): readonly string[] {
    return this.#caches.volumes.byIndex(BY_BOUND_CLAIM, key).flatMap(CSI_INDEX);
  }

  ofDriver(driver: string): readonly string[] {
    return this.#caches.volumes.byIndex(BY_DRIVER, driver).flatMap(CSI_INDEX);
  }

  ofVolume(volume: PersistentVolume): readonly string[] {
    return CSI_INDEX(volume);
  }

  /** Whatever may have to come to the node, or to leave it. */
  ofNode(name: string): readonly string[] {
    const { pods, nodes, attachments } = this.#caches;
    const node = nodes.get(name);
    return [
      ...pods.byIndex(BY_NODE, name).flatMap((pod) => this.ofPod(pod)),
      ...attachments.byIndex(BY_NODE, name).flatMap((one) => this.ofAttachment(one) ?? []),
      ...(node === undefined ? [] : reportedVolumes(node)),
    ];
  }

  /** How many attachments there are to the node. */
  countOn(node: string): number {
    return this.#caches.attachments.countByIndex(BY_NODE, node);
  }

  /** The volume of an attachment that this controller made: its name says so. Undefined: it is somebody else's. */
  ofAttachment(one: VolumeAttachment): string | undefined {
    const known = this.#volumeOf.get(one);
    if (known !== undefined) return known;
    const { metadata, spec } = one;
    const isIts = (name: string): boolean => attachmentName(name, spec.nodeName) === metadata.name;
    const volume = this.#caches.volumes.get(spec.source.persistentVolumeName ?? '');
    const own = volume === undefined ? undefined : CSI_INDEX(volume).find(isIts);
    // What the node tells of has no end: only where nobody else says which volume it is.
    const found = own ?? this.#reportedBy(spec.nodeName).find(isIts);
    if (found !== undefined) this.#volumeOf.set(one, found);
    return found;
  }

  /** The attachments of a volume, also of one whose PersistentVolume is gone. */
  attachmentsOf(name: string): readonly VolumeAttachment[] {
    const { volumes, nodes, attachments } = this.#caches;
    const found = new Map<string, VolumeAttachment>();
    for (const volume of volumes.byIndex(BY_CSI_NAME, name)) {
      for (const one of attachments.byIndex(BY_VOLUME, volume.metadata.name ?? '')) {
        if (one.metadata.name === attachmentName(name, one.spec.nodeName)) found.set(one.metadata.name, one);
      }
    }
    for (const node of nodes.byIndex(BY_REPORTED, name)) {
      const one = attachments.get(attachmentName(name, node.metadata.name ?? ''));
      if (one !== undefined) found.set(one.metadata.name ?? '', one);
    }
    return [...found.values()];
  }

  /** The PersistentVolume that pods use under this name, and what is known of it. */
  boundVolume(name: string): PersistentVolume | undefined {
    const all = this.#caches.volumes.byIndex(BY_CSI_NAME, name);
    return all.find((volume) => volume.spec?.claimRef !== undefined) ?? all[0];
  }

  /** The pods that need the volume on their node, the oldest first. */
  podsFor(name: string): readonly Pod[] {
    const driver = parseCsiVolumeName(name)?.driver ?? '';
    if (this.#caches.drivers.get(driver)?.spec.attachRequired === false) return [];
    const found: Pod[] = [];
    for (const volume of this.#caches.volumes.byIndex(BY_CSI_NAME, name)) found.push(...this.#podsOf(volume));
    return found.toSorted((a, b) => ageOrder(a, b));
  }

  #podsOf(volume: PersistentVolume): readonly Pod[] {
    const { claims, pods, nodes } = this.#caches;
    const { namespace = '', name = '', uid } = volume.spec?.claimRef ?? {};
    const claim = claims.get(`${namespace}/${name}`);
    if (claim === undefined || claim.metadata.uid !== uid || claim.status?.phase !== 'Bound') return [];
    if (claim.spec.volumeName !== volume.metadata.name) return [];
    return pods.byIndex(BY_CLAIM, cacheKey(claim)).filter((pod) => {
      const node = nodes.get(pod.spec.nodeName ?? '');
      return node !== undefined && isManaged(node) && holdsVolumes(pod) && mayUse(pod, claim);
    });
  }

  #reportedBy(node: string): readonly string[] {
    const found = this.#caches.nodes.get(node);
    return found === undefined ? [] : [...reportedVolumes(found), ...(found.status?.volumesInUse ?? [])];
  }
}

/** The name of the attachment of a volume to a node; empty for what is no volume of a driver. */
export function attachmentName(volume: string, node: string): string {
  const csi = parseCsiVolumeName(volume);
  return csi === undefined ? '' : csiAttachmentName(csi, node);
}

/** The node's kubelet leaves attaching to this controller. */
export function isManaged({ metadata }: Node): boolean {
  return metadata.annotations?.[wellknown.ANNOTATION_ATTACH_DETACH] === 'true';
}

/** What of CSI drivers the node's status calls attached. */
export function reportedVolumes({ status }: Node): readonly string[] {
  return (status?.volumesAttached ?? []).map(({ name }) => name).filter((name) => name.startsWith(CSI_VOLUME_PREFIX));
}

/** Something of the pod may still use its volumes. */
export function holdsVolumes(pod: Pod): boolean {
  if (isPodTerminal(pod)) return false;
  if (pod.metadata.deletionTimestamp === undefined) return true;
  const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = pod.status ?? {};
  const all = [containerStatuses ?? [], initContainerStatuses ?? [], ephemeralContainerStatuses ?? []].flat();
  return all.some(({ state }) => state?.terminated === undefined && state?.waiting === undefined);
}

/** The claim of a generic ephemeral volume is for its own pod only. */
function mayUse(pod: Pod, claim: PersistentVolumeClaim): boolean {
  return (pod.spec.volumes ?? []).some((volume) => {
    if (claimNameOf(pod, volume) !== claim.metadata.name) return false;
    return volume.ephemeral === undefined || isMadeFor(claim, pod);
  });
}

function ageOrder(a: Pod, b: Pod): number {
  const [x, y] = [a, b].map(({ metadata }) => `${metadata.creationTimestamp ?? ''} ${metadata.uid ?? ''}`);
  return (x ?? '') < (y ?? '') ? -1 : 1;
}
