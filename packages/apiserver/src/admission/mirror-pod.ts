import { NODES, isMirrorPod } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { OwnerReference } from '@binnacle/machinery';
import type { AdmissionAttributes } from '../ports/admission.ts';
import type { CacheReader } from '../ports/reader.ts';
import { referencesClaim, referencesConfigMap, referencesSecret } from './pod-references.ts';
import { refuse } from './refusal.ts';

/** A kubelet makes no pods but the mirrors of its static ones: bound to itself, owned by its Node, needing nothing. */
export function checkMirrorPodOfNode(attributes: AdmissionAttributes, nodeName: string, cache: CacheReader): void {
  const pod = attributes.object as Pod;
  const problem = findProblem(pod, nodeName) ?? ownerProblem(pod, nodeName, cache);
  if (problem !== undefined) throw refuse(attributes, problem);
}

function findProblem(pod: Pod, nodeName: string): string | undefined {
  const node = `node "${nodeName}"`;
  if (!isMirrorPod(pod)) {
    return `pod does not have "kubernetes.io/config.mirror" annotation, ${node} can only create mirror pods`;
  }
  if (pod.spec.nodeName !== nodeName) return `${node} can only create pods with spec.nodeName set to itself`;
  if ((pod.spec.serviceAccountName ?? '') !== '') {
    return `${node} can not create pods that reference a service account`;
  }
  const references: readonly (readonly [string, boolean])[] = [
    ['secrets', referencesSecret(pod)],
    ['configmaps', referencesConfigMap(pod)],
    ['persistentvolumeclaims', referencesClaim(pod)],
    ['resourceclaims', (pod.spec.resourceClaims?.length ?? 0) > 0],
  ];
  const found = references.find(([, present]) => present);
  return found === undefined ? undefined : `${node} can not create pods that reference ${found[0]}`;
}

function ownerProblem(pod: Pod, nodeName: string, cache: CacheReader): string | undefined {
  const owners = pod.metadata.ownerReferences ?? [];
  const [owner] = owners;
  if (owners.length !== 1 || owner === undefined || !pointsTo(owner, nodeName)) {
    return `node "${nodeName}" can only create pods with an owner reference set to itself`;
  }
  if (owner.controller !== true) {
    return `node "${nodeName}" can only create pods with a controller owner reference set to itself`;
  }
  if (owner.blockOwnerDeletion === true) {
    return `node "${nodeName}" must not set blockOwnerDeletion on an owner reference`;
  }
  const uid = cache.get(NODES, '', nodeName)?.metadata.uid;
  if (uid === undefined) return `node "${nodeName}" not found`;
  return uid === owner.uid ? undefined : `node ${nodeName} UID mismatch: expected ${uid} got ${owner.uid}`;
}

function pointsTo(owner: OwnerReference, nodeName: string): boolean {
  return owner.apiVersion === 'v1' && owner.kind === 'Node' && owner.name === nodeName;
}
