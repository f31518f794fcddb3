import type { StatefulSet } from '@binnacle/api/apps/v1';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from '@binnacle/api/core/v1';
import { STATEFUL_SETS } from '@binnacle/api';
import type { Draft } from '@binnacle/client';
import { controllerReference } from '@binnacle/reconcile';
import { LABEL_REVISION } from '../controller-history.ts';

const LABEL_POD_NAME = 'statefulset.kubernetes.io/pod-name';
const LABEL_POD_INDEX = 'apps.kubernetes.io/pod-index';

/** A revision of the set: its name and the template that it keeps. */
export interface SetRevision {
  readonly name: string;
  readonly template: PodTemplateSpec;
}

/** The ordinal in a pod's name; undefined for a pod that is not called like one of this set. */
export function ordinalOf(set: StatefulSet, podName: string): number | undefined {
  const prefix = `${set.metadata.name ?? ''}-`;
  const text = podName.slice(prefix.length);
  return podName.startsWith(prefix) && /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : undefined;
}

export function podNameOf(set: StatefulSet, ordinal: number): string {
  return `${set.metadata.name ?? ''}-${ordinal}`;
}

/** The first ordinal and the one after the last. */
export function ordinalsOf({ spec }: StatefulSet): { readonly start: number; readonly end: number } {
  const start = spec.ordinals?.start ?? 0;
  return { start, end: start + (spec.replicas ?? 1) };
}

/** The pod of an ordinal, made from a revision. */
export function podFor(set: StatefulSet, ordinal: number, revision: SetRevision): Draft<Pod> {
  const { template } = revision;
  const name = podNameOf(set, ordinal);
  const { annotations, finalizers } = template.metadata;
  return {
    metadata: {
      name,
      generateName: `${set.metadata.name ?? ''}-`,
      namespace: set.metadata.namespace ?? '',
      labels: {
        ...template.metadata.labels,
        [LABEL_POD_NAME]: name,
        [LABEL_POD_INDEX]: String(ordinal),
        [LABEL_REVISION]: revision.name,
      },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(STATEFUL_SETS, set)],
    },
    spec: {
      ...template.spec,
      hostname: name,
      subdomain: set.spec.serviceName,
      volumes: volumesFor(set, ordinal, template.spec.volumes ?? []),
    },
  };
}

/** The volumes of the template, with those of claims in the place of any of the same name. */
function volumesFor(set: StatefulSet, ordinal: number, volumes: readonly Volume[]): readonly Volume[] {
  const claims = claimsFor(set, ordinal).map(({ template, claim }) => ({
    name: template,
    persistentVolumeClaim: { claimName: claim.metadata.name ?? '', readOnly: false },
  }));
  return [...claims, ...volumes.filter((volume) => !claims.some((claim) => claim.name === volume.name))];
}

/** The claims of an ordinal, one for each template: all that it says, with the labels of the selector. */
export function claimsFor(
  set: StatefulSet,
  ordinal: number,
): readonly { readonly template: string; readonly claim: Draft<PersistentVolumeClaim> }[] {
  return (set.spec.volumeClaimTemplates ?? []).map((claimTemplate) => {
    const template = claimTemplate.metadata.name ?? '';
    const metadata = {
      ...claimTemplate.metadata,
      name: `${template}-${podNameOf(set, ordinal)}`,
      namespace: set.metadata.namespace ?? '',
      labels: { ...claimTemplate.metadata.labels, ...set.spec.selector?.matchLabels },
    };
    return { template, claim: { metadata, spec: claimTemplate.spec } };
  });
}

/** The pod with its labels as its name calls for; the very one when they are right. */
export function withIdentity(pod: Pod): Pod {
  const name = pod.metadata.name ?? '';
  const labels = pod.metadata.labels ?? {};
  const index = name.slice(name.lastIndexOf('-') + 1);
  if (labels[LABEL_POD_NAME] === name && labels[LABEL_POD_INDEX] === index) return pod;
  const mended = { ...labels, [LABEL_POD_NAME]: name, [LABEL_POD_INDEX]: index };
  return { ...pod, metadata: { ...pod.metadata, labels: mended } };
}

export function revisionOfPod(pod: Pod): string {
  return pod.metadata.labels?.[LABEL_REVISION] ?? '';
}
