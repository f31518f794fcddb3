import type { ControllerTable } from './controller-kit.ts';
import { runAttachDetachController } from './attach-detach/wiring.ts';
import { runEphemeralVolumeController } from './ephemeral-volume/wiring.ts';
import { runVolumeBinder } from './persistentvolume-binder/wiring.ts';
import { runClaimProtection } from './persistent-volume-claim-protection/wiring.ts';
import { runVolumeProtection } from './persistent-volume-protection/wiring.ts';
import { runVolumeExpander } from './volume-expand/wiring.ts';
import { runAttributesClassProtection } from './volume-attributes-class-protection/wiring.ts';

/** The controllers of volumes and of claims on them. */
export const VOLUME_CONTROLLERS: ControllerTable = {
  'persistentvolume-binder-controller': { account: 'persistent-volume-binder', start: runVolumeBinder },
  'persistentvolume-attach-detach-controller': {
    account: 'attachdetach-controller',
    start: runAttachDetachController,
  },
  'persistentvolume-expander-controller': { account: 'expand-controller', start: runVolumeExpander },
  'ephemeral-volume-controller': { account: 'ephemeral-volume-controller', start: runEphemeralVolumeController },
  'persistentvolumeclaim-protection-controller': { account: 'pvc-protection-controller', start: runClaimProtection },
  'persistentvolume-protection-controller': { account: 'pv-protection-controller', start: runVolumeProtection },
  'volumeattributesclass-protection-controller': {
    account: 'volumeattributesclass-protection-controller',
    start: runAttributesClassProtection,
  },
};
