import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** What `node.status.volumesAttached` and `volumesInUse` call volumes of CSI drivers. */
export const CSI_VOLUME_PREFIX = 'kubernetes.io/csi/';

/** A volume as its driver knows it. */
export interface CsiVolume {
  readonly driver: string;
  /** `spec.csi.volumeHandle`: no other volume of the driver has it. */
  readonly handle: string;
}

/** What the status of nodes calls the volume: `kubernetes.io/csi/DRIVER^HANDLE`. */
export function csiVolumeName({ driver, handle }: CsiVolume): string {
  return `${CSI_VOLUME_PREFIX}${driver}^${handle}`;
}

/** The volume that the status of a node names so; undefined: none of a CSI driver. */
export function parseCsiVolumeName(name: string): CsiVolume | undefined {
  if (!name.startsWith(CSI_VOLUME_PREFIX)) return undefined;
  const rest = name.slice(CSI_VOLUME_PREFIX.length);
  const at = rest.indexOf('^');
  return at < 0 ? undefined : { driver: rest.slice(0, at), handle: rest.slice(at + 1) };
}

/** The name of the VolumeAttachment of a volume to a node; kubelets and drivers work it out for themselves. */
export function csiAttachmentName({ driver, handle }: CsiVolume, node: string): string {
  return `csi-${bytesToHex(sha256(utf8ToBytes(`${handle}${driver}${node}`)))}`;
}
