import type { KindRules } from '../kind.ts';
import { validateCsiDriver, validateCsiDriverUpdate } from './csi-driver/validation.ts';
import { validateCsiNode, validateCsiNodeUpdate } from './csi-node/validation.ts';
import { validateCsiStorageCapacity, validateCsiStorageCapacityUpdate } from './csi-storage-capacity/validation.ts';
import { defaultCsiDriver, defaultStorageClass } from './defaults.ts';
import { validateStorageClass, validateStorageClassUpdate } from './storage-class/validation.ts';
import {
  validateVolumeAttachment,
  validateVolumeAttachmentStatusUpdate,
  validateVolumeAttachmentUpdate,
} from './volume-attachment/validation.ts';
import {
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
} from './volume-attributes-class/validation.ts';
import { csiDriverWarnings, storageCapacityWarnings, storageClassWarnings } from './warnings.ts';

/** Rules of the kinds of the group storage.k8s.io. */
export const STORAGE_KINDS: { readonly [kind: string]: KindRules } = {
  CSIDriver: {
    defaults: defaultCsiDriver,
    validate: validateCsiDriver,
    validateUpdate: validateCsiDriverUpdate,
    warnings: csiDriverWarnings,
  },
  CSINode: { validate: validateCsiNode, validateUpdate: validateCsiNodeUpdate },
  CSIStorageCapacity: {
    validate: validateCsiStorageCapacity,
    validateUpdate: validateCsiStorageCapacityUpdate,
    warnings: storageCapacityWarnings,
  },
  StorageClass: {
    defaults: defaultStorageClass,
    validate: validateStorageClass,
    validateUpdate: validateStorageClassUpdate,
    warnings: storageClassWarnings,
  },
  VolumeAttachment: {
    validate: validateVolumeAttachment,
    validateUpdate: validateVolumeAttachmentUpdate,
    validateStatusUpdate: validateVolumeAttachmentStatusUpdate,
  },
  VolumeAttributesClass: {
    validate: validateVolumeAttributesClass,
    validateUpdate: validateVolumeAttributesClassUpdate,
  },
};
