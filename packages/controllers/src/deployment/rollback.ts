import { revisionOf, wellknown } from '@binnacle/api';
import type { Deployment, ReplicaSet } from '@binnacle/api/apps/v1';
import { readInt64 } from '@binnacle/machinery';
import { NOT_COPIED } from './new-set.ts';
import { allSets, isSameTemplate, withoutHash } from './replica-sets.ts';
import type { Seen } from './replica-sets.ts';

/** The deployment as it is to be written, without the wish, and what is told of it. */
export interface Rollback {
  readonly deployment: Deployment;
  readonly told: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string };
}

/**
 * The revision that a deployment is to go back to, as clients from before `kubectl rollout undo` ask for it by an annotation;
 * 0: to the one before. Undefined: to none.
 */
export function rollbackAsked({ metadata }: Deployment): bigint | undefined {
  return readInt64(metadata.annotations?.[wellknown.ANNOTATION_DEPRECATED_ROLLBACK] ?? '');
}

/** Back to a revision: its template, and what its set was annotated with. The wish goes whatever becomes of it. */
export function planRollback(seen: Seen, asked: bigint): Rollback {
  const { deployment } = seen;
  const { [wellknown.ANNOTATION_DEPRECATED_ROLLBACK]: _asked, ...annotations } = deployment.metadata.annotations ?? {};
  const without: Deployment = { ...deployment, metadata: { ...deployment.metadata, annotations } };
  const refuse = (reason: string, message: string): Rollback => ({
    deployment: without,
    told: { type: 'Warning', reason, message },
  });
  const revision = asked === 0n ? lastRevision(allSets(seen)) : asked;
  if (revision === 0n) return refuse('DeploymentRollbackRevisionNotFound', 'Unable to find last revision.');
  const set = allSets(seen).find((one) => revisionOf(one) === revision);
  const template = withoutHash(set?.spec.template);
  if (set === undefined || template === undefined) {
    return refuse('DeploymentRollbackRevisionNotFound', 'Unable to find the revision to rollback to.');
  }
  const name = JSON.stringify(deployment.metadata.name ?? '');
  if (isSameTemplate(template, deployment.spec.template)) {
    const message = `The rollback revision contains the same template as current deployment ${name}`;
    return refuse('DeploymentRollbackTemplateUnchanged', message);
  }
  const own = Object.entries(annotations).filter(([key]) => NOT_COPIED.has(key));
  const ofSet = Object.entries(set.metadata.annotations ?? {}).filter(([key]) => !NOT_COPIED.has(key));
  return {
    deployment: {
      ...deployment,
      metadata: { ...deployment.metadata, annotations: Object.fromEntries([...own, ...ofSet]) },
      spec: { ...deployment.spec, template },
    },
    told: {
      type: 'Normal',
      reason: 'DeploymentRollback',
      message: `Rolled back deployment ${name} to revision ${revision}`,
    },
  };
}

/** The highest but one; 0: there is none. */
function lastRevision(sets: readonly ReplicaSet[]): bigint {
  const [, second = 0n] = sets.map(revisionOf).sort((a, b) => (a < b ? 1 : -1));
  return second;
}
