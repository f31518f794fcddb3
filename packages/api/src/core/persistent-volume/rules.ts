import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/core-v1.ts';
import type { KindRules } from '../../kind.ts';
import {
  validatePersistentVolumeClaim,
  validatePersistentVolumeClaimStatusUpdate,
  validatePersistentVolumeClaimUpdate,
} from './claim-update-validation.ts';
import { defaultPersistentVolume, defaultPersistentVolumeClaim } from './defaults.ts';
import { validatePersistentVolume, validatePersistentVolumeUpdate } from './volume-validation.ts';
import { persistentVolumeClaimWarnings, persistentVolumeWarnings } from './warnings.ts';

export const PERSISTENT_VOLUME_RULES: KindRules<PersistentVolume> = {
  defaults: defaultPersistentVolume,
  validate: validatePersistentVolume,
  validateUpdate: validatePersistentVolumeUpdate,
  warnings: persistentVolumeWarnings,
};

export const PERSISTENT_VOLUME_CLAIM_RULES: KindRules<PersistentVolumeClaim> = {
  defaults: defaultPersistentVolumeClaim,
  validate: validatePersistentVolumeClaim,
  validateUpdate: validatePersistentVolumeClaimUpdate,
  validateStatusUpdate: validatePersistentVolumeClaimStatusUpdate,
  warnings: persistentVolumeClaimWarnings,
};
