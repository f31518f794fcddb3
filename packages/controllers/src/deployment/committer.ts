import { messageOf } from '@binnacle/base';
import { controllerOf, deepEqual, isControlledBy, status } from '@binnacle/machinery';
import { DEPLOYMENTS, REPLICA_SETS, wellknown } from '@binnacle/api';
import type { Deployment, DeploymentStatus, ReplicaSet } from '@binnacle/api/apps/v1';
import { actOnEach, cacheKey, referenceTo } from '@binnacle/client';
import type { Client, EventRecorder } from '@binnacle/client';
import { deleteIfThere, getOrUndefined } from '@binnacle/reconcile';
import type { SyncContext } from '@binnacle/reconcile';
import { draftNewSet, replicaAnnotations } from './new-set.ts';
import type { DeploymentWrites } from './own-writes.ts';
import { isSameTemplate, sizeOf } from './replica-sets.ts';
import type { Seen } from './replica-sets.ts';
import type { Rollback } from './rollback.ts';
import type { Resize } from './rollout.ts';

type Annotations = Readonly<Record<string, string>>;

/** All that a deployment's controller writes goes through here. */
export class DeploymentCommitter {
  readonly #client: Client;
  readonly #events: EventRecorder;
  readonly #writes: DeploymentWrites;

  constructor(options: { readonly client: Client; readonly events: EventRecorder; readonly writes: DeploymentWrites }) {
    this.#client = options.client;
    this.#events = options.events;
    this.#writes = options.writes;
  }

  /**
   * Makes the new set. It may be there already, unseen by the cache: then it is taken as made. A set of that name with
   * another template is a collision of hashes: undefined, and the caller counts it.
   */
  async createNewSet(seen: Seen, context: SyncContext): Promise<ReplicaSet | undefined> {
    const { deployment } = seen;
    const draft = draftNewSet(seen);
    const sets = this.#client.resource(REPLICA_SETS, deployment.metadata.namespace);
    try {
      const made = await this.#writes.ofSet(cacheKey(deployment), draft, () => sets.create(draft, undefined, context));
      const size = sizeOf(made);
      if (size > 0) this.#tell(deployment, `Scaled up replica set ${made.metadata.name} from 0 to ${size}`, context);
      return made;
    } catch (error) {
      if (!status.isAlreadyExists(error)) throw error;
    }
    const existing = await getOrUndefined(sets, draft.metadata.name ?? '', context);
    if (existing === undefined) throw status.alreadyExists(REPLICA_SETS, draft.metadata.name ?? '');
    const mine =
      isControlledBy(existing, deployment) && isSameTemplate(existing.spec.template, deployment.spec.template);
    return mine ? this.#writes.ofSet(cacheKey(deployment), existing, () => Promise.resolve(existing)) : undefined;
  }

  /** Writes a changed set; the same object means nothing changed. */
  async updateSet(before: ReplicaSet, after: ReplicaSet, context: SyncContext): Promise<ReplicaSet> {
    if (after === before) return before;
    const sets = this.#client.resource(REPLICA_SETS, before.metadata.namespace);
    return this.#writes.ofSet(deploymentKeyOf(before) ?? '', before, () => sets.update(after, undefined, context));
  }

  /** Writes sizes, and with them the annotations that proportional scaling goes by. */
  async resize(
    deployment: Deployment,
    changes: readonly Resize[],
    context: SyncContext,
  ): Promise<readonly ReplicaSet[]> {
    const written: ReplicaSet[] = [];
    for (const { set, size } of changes) {
      const annotations = { ...set.metadata.annotations, ...replicaAnnotations(deployment) };
      const before = sizeOf(set);
      if (before === size && deepEqual(annotations, set.metadata.annotations)) continue;
      const after = { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas: size } };
      written.push(await this.updateSet(set, after, context));
      if (before === size) continue;
      const direction = before < size ? 'up' : 'down';
      this.#tell(deployment, `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${size}`, context);
    }
    return written;
  }

  async forget(sets: readonly ReplicaSet[], context: SyncContext): Promise<void> {
    await actOnEach(sets, ({ metadata }) => {
      const client = this.#client.resource(REPLICA_SETS, metadata.namespace);
      return deleteIfThere({ client, context }, metadata.name ?? '');
    });
  }

  /** Written only when it differs. A conflict is an error: what was decided belongs to what was seen. */
  async report(deployment: Deployment, after: DeploymentStatus, context: SyncContext): Promise<Deployment> {
    if (deepEqual(normal(after), normal(deployment.status))) return deployment;
    return this.#tellStatus({ ...deployment, status: after }, context);
  }

  /** The same, and the revision of its newest set, which `kubectl rollout` reads in its annotations. */
  async reportWith(
    deployment: Deployment,
    told: { readonly set: ReplicaSet; readonly status: DeploymentStatus | undefined },
    context: SyncContext,
  ): Promise<Deployment> {
    const status = told.status ?? {};
    const annotations = withRevision(deployment.metadata.annotations, told.set);
    if (annotations === undefined) return this.report(deployment, status, context);
    return this.#tellStatus({ ...deployment, metadata: { ...deployment.metadata, annotations }, status }, context);
  }

  /** Writes the deployment itself: the one write of its spec that is ours. */
  async rollBack({ deployment, told }: Rollback, context: SyncContext): Promise<void> {
    const client = this.#client.resource(DEPLOYMENTS, deployment.metadata.namespace);
    const after = await this.#writes.ofDeployment(() => client.update(deployment, undefined, context));
    this.#events.event(referenceTo(DEPLOYMENTS, after), told.type, told.reason, told.message, context);
  }

  tellFailure(deployment: Deployment, error: unknown, context: SyncContext): string {
    const name = draftNewSet({ deployment, newSet: undefined, oldSets: [] }).metadata.name;
    const message = `Failed to create new replica set "${name}": ${messageOf(error)}`;
    this.#events.event(referenceTo(DEPLOYMENTS, deployment), 'Warning', 'ReplicaSetCreateError', message, context);
    return message;
  }

  tellSelectsAll(deployment: Deployment, context: SyncContext): void {
    const message = 'This deployment is selecting all pods. A non-empty selector is required.';
    this.#events.event(referenceTo(DEPLOYMENTS, deployment), 'Warning', 'SelectingAll', message, context);
  }

  /** Annotations go along: a write of the deployment itself would make another generation of it. */
  #tellStatus(after: Deployment, context: SyncContext): Promise<Deployment> {
    const client = this.#client.resource(DEPLOYMENTS, after.metadata.namespace);
    return this.#writes.ofDeployment(() => client.updateStatus(after, undefined, context));
  }

  #tell(deployment: Deployment, message: string, context: SyncContext): void {
    this.#events.event(referenceTo(DEPLOYMENTS, deployment), 'Normal', 'ScalingReplicaSet', message, context);
  }
}

/** Undefined: they say it already. */
function withRevision(annotations: Annotations | undefined, set: ReplicaSet): Annotations | undefined {
  const revision = set.metadata.annotations?.[wellknown.ANNOTATION_REVISION];
  if (revision === undefined || annotations?.[wellknown.ANNOTATION_REVISION] === revision) return undefined;
  return { ...annotations, [wellknown.ANNOTATION_REVISION]: revision };
}

/** Absent and zero counts are the same. */
function normal(status: DeploymentStatus | undefined): unknown {
  const counts = { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 0 };
  return { ...counts, observedGeneration: 0, terminatingReplicas: 0, conditions: [], ...status };
}

/** The deployment that a set belongs to, as an informer's key. */
export function deploymentKeyOf(set: ReplicaSet): string | undefined {
  const controller = controllerOf(set);
  return controller?.kind === 'Deployment' ? `${set.metadata.namespace ?? ''}/${controller.name}` : undefined;
}
