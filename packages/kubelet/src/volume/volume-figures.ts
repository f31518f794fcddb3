import type { CsiVolumeStats } from '../csi/csi-client.ts';

/** How full a volume is, and whether it is well. */
export interface VolumeFigures extends CsiVolumeStats {
  /** In the pod's definition. */
  readonly name: string;
  readonly claim?: string;
}
