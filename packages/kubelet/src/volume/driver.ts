import type { Pod, Volume } from '@binnacle/api/core/v1';
import type { ImageMounts } from '@binnacle/runtime';
import type { CsiVolumes } from '../csi/csi-volumes.ts';
import type { ImagePuller } from '../image/puller.ts';
import type { NodeAllocatable } from '../registration/allocatable.ts';
import type { HostFiles, ObjectReader, ReferenceHolder } from '../ports.ts';

/** Where volumes that are images come from. */
export interface VolumeImages {
  readonly puller: Pick<ImagePuller, 'ensure'>;
  /** Absent: the runtime mounts none. */
  readonly mounts: ImageMounts | undefined;
}

/** Waits for work that may take for ever; throws NotWanted as soon as the pod is to end, and lets the work go on by itself. */
export type OrInterrupted = <T>(work: Promise<T>) => Promise<T>;

/** One volume of a pod on its way to be made. */
export interface VolumeCall {
  readonly pod: Pod;
  readonly volume: Volume;
  /** A folder of the volume's own, not made yet. */
  readonly directory: string;
  /** Absent: nothing is put on disk (simulated nodes). */
  readonly files: HostFiles | undefined;
  readonly objects: ObjectReader | undefined;
  readonly images: VolumeImages;
  readonly csi: CsiVolumes | undefined;
  readonly holder: ReferenceHolder;
  /** For what leaves nothing of the pod on the node if nobody waits for it. */
  readonly orInterrupted: OrInterrupted;
  readonly node: NodeAllocatable;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What the same call left here last time; kept until the pod is gone. */
  readonly memory: Map<string, string>;
}

/** A volume as containers get it. */
export interface MountedVolume {
  readonly hostPath: string;
  readonly readOnly: boolean;
  /** It is a device and no folder: for volumeDevices. */
  readonly isBlock?: boolean;
  /** Containers of the pod are in this group, too: it belongs to it. */
  readonly group?: number;
  /** The claim that it is had by. */
  readonly claim?: string;
  /** What its CSI driver's folder of it is called: who knows how full it is. */
  readonly driverVolume?: string;
  /** When it wants to be looked at again, for a token in it or what its driver asks, milliseconds since the epoch; absent: never. */
  readonly refreshAt?: number;
}

/** Makes the volumes of one kind. Clearing away is the same for all: what is mounted in the pod's folder goes, then it. */
export interface VolumeDriver {
  /** The field of a Volume that asks for it. */
  readonly source: keyof Volume;
  /** Its name among folders: `kubernetes.io~<plugin>`. */
  readonly plugin: string;
  /** Makes the volume or brings it up to date, any number of times. Throws VolumeError. */
  setUp(call: VolumeCall): Promise<MountedVolume>;
}
