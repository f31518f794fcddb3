import { podTemplateHash, revisionOf, DEPLOYMENTS, wellknown } from '@binnacle/api';
import { readInt64 } from '@binnacle/machinery';
import type { Deployment, ReplicaSet } from '@binnacle/api/apps/v1';
import { controllerReference } from '@binnacle/reconcile';
import type { Draft } from '@binnacle/client';
import { limitsOf, wantedReplicas } from './limits.ts';
import { sizeForNewSet } from './rollout.ts';
import type { Seen } from './replica-sets.ts';

type Annotations = { readonly [key: string]: string };

/** Annotations that belong to one object and do not travel from the deployment to its sets. */
export const NOT_COPIED: ReadonlySet<string> = new Set([
  wellknown.ANNOTATION_LAST_APPLIED,
  wellknown.ANNOTATION_REVISION,
  wellknown.ANNOTATION_REVISION_HISTORY,
  wellknown.ANNOTATION_DESIRED_REPLICAS,
  wellknown.ANNOTATION_MAX_REPLICAS,
  wellknown.ANNOTATION_DEPRECATED_ROLLBACK,
]);
/** Upstream cuts the list of a set's former revisions at this length. */
const HISTORY_CHARACTERS_MAX = 2000;

/** The replica set for the deployment's template. Its name is a function of the template, so making it twice is no harm. */
export function draftNewSet(seen: Seen): Draft<ReplicaSet> {
  const { deployment } = seen;
  const { template, selector, minReadySeconds } = deployment.spec;
  const hash = podTemplateHash(template, deployment.status?.collisionCount);
  const withHash = { [wellknown.LABEL_POD_TEMPLATE_HASH]: hash };
  const labels = { ...template.metadata.labels, ...withHash };
  const { namespace } = deployment.metadata;
  return {
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      annotations: {
        ...annotationsForSet(deployment, {}, nextRevision(seen)),
        ...replicaAnnotations(deployment),
      },
      ownerReferences: [controllerReference(DEPLOYMENTS, deployment)],
    },
    spec: {
      replicas: sizeForNewSet(seen),
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, ...withHash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** One more than the highest revision among the old sets. */
export function nextRevision(seen: Seen): bigint {
  return seen.oldSets.map(revisionOf).reduce((most, one) => (one > most ? one : most), 0n) + 1n;
}

/** What the existing new set should carry: the deployment's annotations and minReadySeconds, and its revision. */
export function updateNewSet(seen: Seen, set: ReplicaSet): ReplicaSet {
  const { deployment } = seen;
  const annotations = annotationsForSet(deployment, set.metadata.annotations ?? {}, nextRevision(seen));
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  const sameAnnotations = annotations === set.metadata.annotations;
  if (sameAnnotations && (set.spec.minReadySeconds ?? 0) === minReadySeconds) return set;
  return { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, minReadySeconds } };
}

/** How many the deployment wants, and how many there may be at most: what proportional scaling goes by. */
export function replicaAnnotations(deployment: Deployment): Annotations {
  const wanted = wantedReplicas(deployment);
  return {
    [wellknown.ANNOTATION_DESIRED_REPLICAS]: String(wanted),
    [wellknown.ANNOTATION_MAX_REPLICAS]: String(wanted + limitsOf(deployment).surge),
  };
}

/** The very annotations from before when nothing changes. */
function annotationsForSet(deployment: Deployment, before: Annotations, revision: bigint): Annotations {
  const after: { [key: string]: string } = { ...before };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!NOT_COPIED.has(key)) after[key] = value;
  }
  const old = before[wellknown.ANNOTATION_REVISION];
  const former = old === undefined || old === '' ? 0n : readInt64(old);
  // What is no number was written by somebody else: it stays, as upstream leaves it.
  if (former !== undefined && former < revision) {
    after[wellknown.ANNOTATION_REVISION] = String(revision);
    if (old !== undefined && old !== '') after[wellknown.ANNOTATION_REVISION_HISTORY] = history(before, old);
  }
  const keys = Object.keys(after);
  const same = keys.length === Object.keys(before).length && keys.every((key) => before[key] === after[key]);
  return same ? before : after;
}

/** The set had this revision before it became the newest again. Linear: anybody may write the annotation. */
function history(before: Annotations, revision: string): string {
  const former = before[wellknown.ANNOTATION_REVISION_HISTORY] ?? '';
  if (former === '') return revision;
  const all = `${former},${revision}`;
  const excess = all.length - HISTORY_CHARACTERS_MAX;
  // The oldest go whole: on from behind the first comma that leaves few enough.
  return excess <= 0 ? all : all.slice(all.indexOf(',', excess - 1) + 1);
}
