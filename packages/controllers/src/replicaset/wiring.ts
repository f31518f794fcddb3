import { NOTHING, selectorFromObject } from '@binnacle/machinery';
import { PODS, REPLICA_SETS } from '@binnacle/api';
import type { ReplicaSet } from '@binnacle/api/apps/v1';
import { OWNERSHIP_INDEXES, runPodSetController } from '@binnacle/reconcile';
import type { Controller, PodSetKind } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { deletionAges } from '../deletion-ages.ts';

/** A replica set as a set of pods. */
export const REPLICA_SET_SET: PodSetKind<ReplicaSet> = {
  ref: REPLICA_SETS,
  selector: (rs) => (rs.spec.selector === undefined ? NOTHING : selectorFromObject(rs.spec.selector)),
  replicas: (rs) => rs.spec.replicas ?? 1,
  template: (rs) => rs.spec.template,
  minReadySeconds: (rs) => rs.spec.minReadySeconds ?? 0,
  status: (rs) => rs.status,
  withStatus: (rs, status) => ({ ...rs, status }),
  tellsTerminating: true,
};

/** Starts the replica sets' controller. */
export function runReplicaSetController(kit: ControllerKit): Controller {
  return runPodSetController({
    ageRatios: deletionAges(kit.figures),
    name: 'replicaset-controller',
    kind: REPLICA_SET_SET,
    client: kit.client,
    world: kit.world,
    scope: kit.scope,
    events: recorderFor(kit, 'replicaset-controller'),
    pods: kit.informers.need(PODS, { indexes: OWNERSHIP_INDEXES }),
    owners: kit.informers.need(REPLICA_SETS, { indexes: OWNERSHIP_INDEXES }),
  });
}
