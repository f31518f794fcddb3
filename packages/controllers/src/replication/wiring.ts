import { NOTHING, selectorFromSet } from '@binnacle/machinery';
import { PODS, REPLICATION_CONTROLLERS } from '@binnacle/api';
import type { ReplicationController } from '@binnacle/api/core/v1';
import { OWNERSHIP_INDEXES, runPodSetController } from '@binnacle/reconcile';
import type { Controller, PodSetKind } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { deletionAges } from '../deletion-ages.ts';

/** A replication controller as a set of pods. An empty selector selects nothing. */
export const REPLICATION_CONTROLLER_SET: PodSetKind<ReplicationController> = {
  ref: REPLICATION_CONTROLLERS,
  selector: (rc) =>
    Object.keys(rc.spec.selector ?? {}).length === 0 ? NOTHING : selectorFromSet(rc.spec.selector ?? {}),
  replicas: (rc) => rc.spec.replicas ?? 1,
  template: (rc) => rc.spec.template,
  minReadySeconds: (rc) => rc.spec.minReadySeconds ?? 0,
  status: (rc) => rc.status,
  withStatus: (rc, status) => ({ ...rc, status }),
  tellsTerminating: false,
};

/** Starts the replication controllers' controller. */
export function runReplicationController(kit: ControllerKit): Controller {
  return runPodSetController({
    name: 'replication-controller',
    ageRatios: deletionAges(kit.figures),
    kind: REPLICATION_CONTROLLER_SET,
    client: kit.client,
    world: kit.world,
    scope: kit.scope,
    events: recorderFor(kit, 'replication-controller'),
    pods: kit.informers.need(PODS, { indexes: OWNERSHIP_INDEXES }),
    owners: kit.informers.need(REPLICATION_CONTROLLERS, { indexes: OWNERSHIP_INDEXES }),
  });
}
