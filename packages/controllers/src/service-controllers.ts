import type { ControllerTable } from './controller-kit.ts';
import { runEndpointSliceMirroringController } from './endpointslice-mirroring/wiring.ts';
import { runEndpointSliceController } from './endpointslice/wiring.ts';
import { runEndpointsController } from './endpoints/wiring.ts';
import { runLoadBalancerController } from './service-lb/wiring.ts';

/** The controllers that tell where services are reached. */
export const SERVICE_CONTROLLERS: ControllerTable = {
  'endpoints-controller': { account: 'endpoint-controller', start: runEndpointsController },
  'endpointslice-controller': { account: 'endpointslice-controller', start: runEndpointSliceController },
  'endpointslice-mirroring-controller': {
    account: 'endpointslicemirroring-controller',
    start: runEndpointSliceMirroringController,
  },
  'service-lb-controller': { account: 'service-controller', start: runLoadBalancerController },
};
