import type { Volume } from '@binnacle/api/core/v1';
import type { VolumeDriver } from '../driver.ts';
import { claimDriver, ephemeralDriver } from './claim.ts';
import { configMapDriver, downwardDriver, projectedDriver, secretDriver } from './content.ts';
import { csiDriver } from './csi.ts';
import { emptyDirDriver } from './empty-dir.ts';
import { imageDriver } from './image.ts';
import { hostPathDriver } from './host-path.ts';

/** Every kind of volume that this kubelet makes; all others are refused visibly. */
export const volumeDrivers: readonly VolumeDriver[] = [
  emptyDirDriver,
  hostPathDriver,
  configMapDriver,
  secretDriver,
  downwardDriver,
  projectedDriver,
  claimDriver,
  ephemeralDriver,
  imageDriver,
  csiDriver,
];

/** The driver that a volume asks for; undefined: none is built. */
export function driverFor(volume: Volume): VolumeDriver | undefined {
  return volumeDrivers.find((driver) => volume[driver.source] !== undefined);
}
