import { apiReferenceOf, isMirrorPod, NODES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { status } from '@binnacle/machinery';
import type { OwnerReference } from '@binnacle/machinery';
import type { AdmissionAttributes } from '../ports/admission.ts';
import type { CacheReader } from '../ports/reader.ts';
import { refuse } from './refusal.ts';

/**
 * A kubelet makes no pods but the mirrors of its static ones: bound to itself, owned by its Node, needing nothing.
 * Throws 403, and 404 where its Node is not there.
 */
export function checkMirrorPodOfNode(attributes: AdmissionAttributes, nodeName: string, cache: CacheReader): void {
  const pod = attributes.object as Pod;
  const problem =
    placeProblem(pod, nodeName) ??
    ownerProblem(pod.metadata.ownerReferences ?? [], nodeName) ??
    lifeProblem(pod, nodeName, cache);
  if (problem !== undefined) throw refuse(attributes, problem);
  const reference = apiReferenceOf(pod);
  if (reference !== undefined) {
    throw refuse(attributes, `node "${nodeName}" can not create pods that reference ${reference}`);
  }
}

function placeProblem(pod: Pod, nodeName: string): string | undefined {
  const node = `node "${nodeName}"`;
  if (!isMirrorPod(pod)) {
    return `pod does not have "kubernetes.io/config.mirror" annotation, ${node} can only create mirror pods`;
  }
  return pod.spec.nodeName === nodeName ? undefined : `${node} can only create pods with spec.nodeName set to itself`;
}

function ownerProblem([owner, ...others]: readonly OwnerReference[], nodeName: string): string | undefined {
  const node = `node "${nodeName}"`;
  if (others.length > 0) return `${node} can only create pods with a single owner reference set to itself`;
  if (owner === undefined || !pointsTo(owner, nodeName)) {
    return `${node} can only create pods with an owner reference set to itself`;
  }
  if (owner.controller !== true) {
    return `${node} can only create pods with a controller owner reference set to itself`;
  }
  return owner.blockOwnerDeletion === true
    ? `${node} must not set blockOwnerDeletion on an owner reference`
    : undefined;
}

function lifeProblem(pod: Pod, nodeName: string, cache: CacheReader): string | undefined {
  const node = cache.get(NODES, '', nodeName);
  if (node === undefined) throw status.notFound(NODES, nodeName);
  const { uid = '' } = node.metadata;
  const owned = pod.metadata.ownerReferences?.[0]?.uid ?? '';
  return uid === owned ? undefined : `node ${nodeName} UID mismatch: expected ${uid} got ${owned}`;
}

function pointsTo(owner: OwnerReference, nodeName: string): boolean {
  return owner.apiVersion === 'v1' && owner.kind === 'Node' && owner.name === nodeName;
}
