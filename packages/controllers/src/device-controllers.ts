import type { ControllerTable } from './controller-kit.ts';
import { runDeviceTaintEviction } from './device-taint-eviction/wiring.ts';
import { runResourceClaimController } from './resource-claim/wiring.ts';

/** The controllers of claims for devices. */
export const DEVICE_CONTROLLERS: ControllerTable = {
  'resourceclaim-controller': { account: 'resource-claim-controller', start: runResourceClaimController },
  'device-taint-eviction-controller': { account: 'device-taint-eviction-controller', start: runDeviceTaintEviction },
};
