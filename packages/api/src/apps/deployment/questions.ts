import { readInt64 } from '@binnacle/machinery';
import { getCondition } from '../../condition.ts';
import type { Deployment, DeploymentCondition, ReplicaSet } from '../../generated/apps-v1.ts';
import { ANNOTATION_REVISION } from '../../wellknown.ts';

/** The condition of that type, if the deployment has it. */
export function getDeploymentCondition(deployment: Deployment, type: string): DeploymentCondition | undefined {
  return getCondition(deployment.status?.conditions, type);
}

/** The revision that a deployment or one of its replica sets carries, of 64 bits; 0 when it has none (or nonsense). */
export function revisionOf(object: Deployment | ReplicaSet): bigint {
  return readInt64(object.metadata.annotations?.[ANNOTATION_REVISION] ?? '') ?? 0n;
}

/** The controller has seen this spec, and every replica is updated and available with none left of the old. */
export function isDeploymentComplete(deployment: Deployment): boolean {
  const wanted = deployment.spec?.replicas ?? 1;
  const status = deployment.status;
  return (
    (status?.updatedReplicas ?? 0) === wanted &&
    (status?.replicas ?? 0) === wanted &&
    (status?.availableReplicas ?? 0) === wanted &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}
