import { PODS } from '@binnacle/api';
import type { TokenRequest } from '@binnacle/api/authentication/v1';
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { Eviction } from '@binnacle/api/policy/v1';
import type { ResourceSlice } from '@binnacle/api/resource/v1';
import { deepEqual } from '@binnacle/machinery';
import { nodeNameOf } from '../access/users.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import type { CacheReader } from '../ports/reader.ts';
import { checkMirrorPodOfNode } from './mirror-pod.ts';
import { changedLabels, restrictedLabels } from './node-labels.ts';
import { refuse } from './refusal.ts';

type Check = (attributes: AdmissionAttributes, nodeName: string, cache: CacheReader) => void;

const LEASE_NAMESPACE = 'kube-node-lease';

const CHECKS: { readonly [resource: string]: Check } = {
  pods: checkPod,
  'pods/status': checkPodStatus,
  'pods/eviction': checkEviction,
  nodes: checkNode,
  'nodes/status': checkNode,
  'serviceaccounts/token': checkToken,
  'leases.coordination.k8s.io': checkLease,
  'csinodes.storage.k8s.io': checkCsiNode,
  'resourceslices.resource.k8s.io': checkSlice,
};

/** A kubelet changes only its own Node and Lease and the pods that are bound to it. Others are not looked at. */
export function createNodeRestriction(cache: CacheReader): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    handles: (operation, info, subresource) => operation !== 'CONNECT' && checkOf(info, subresource) !== undefined,
    // Upstream looks while it mutates too: what a later plugin adds is not the kubelet's doing.
    admit(attributes) {
      const nodeName = nodeNameOf(attributes.user);
      if (nodeName === undefined) return;
      if (nodeName === '') {
        throw refuse(attributes, `could not determine node from user "${attributes.user.name}"`);
      }
      checkOf(attributes.info, attributes.subresource)?.(attributes, nodeName, cache);
    },
  };
}

function checkOf(info: AdmissionAttributes['info'], subresource: string): Check | undefined {
  const resource = info.group === '' ? info.resource : `${info.resource}.${info.group}`;
  return CHECKS[subresource === '' ? resource : `${resource}/${subresource}`];
}

function checkPod(attributes: AdmissionAttributes, nodeName: string, cache: CacheReader): void {
  switch (attributes.operation) {
    case 'CREATE':
      checkMirrorPodOfNode(attributes, nodeName, cache);
      return;
    case 'DELETE': {
      const pod = (attributes.before ?? findPod(attributes, cache)) as Pod | undefined;
      if (pod !== undefined && pod.spec.nodeName !== nodeName) {
        throw refuse(attributes, `node "${nodeName}" can only delete pods with spec.nodeName set to itself`);
      }
      return;
    }
    case 'UPDATE':
    case 'CONNECT':
      throw refuse(attributes, `unexpected operation "${attributes.operation}"`);
  }
}

function checkPodStatus(attributes: AdmissionAttributes, nodeName: string): void {
  if (attributes.operation !== 'UPDATE') throw refuse(attributes, `unexpected operation "${attributes.operation}"`);
  const before = attributes.before as Pod | undefined;
  if (before?.spec.nodeName !== nodeName) {
    throw refuse(attributes, `node "${nodeName}" can only update pod status for pods with spec.nodeName set to itself`);
  }
  if (changedLabels(before.metadata.labels, attributes.object?.metadata.labels).length > 0) {
    throw refuse(attributes, `node "${nodeName}" cannot update labels through pod status`);
  }
  const [was, is] = [before.status, (attributes.object as Pod | undefined)?.status];
  if (!deepEqual(was?.resourceClaimStatuses ?? [], is?.resourceClaimStatuses ?? [])) {
    throw refuse(attributes, `node "${nodeName}" cannot update resource claim statues`);
  }
  if (!deepEqual(was?.extendedResourceClaimStatus, is?.extendedResourceClaimStatus)) {
    throw refuse(attributes, `node "${nodeName}" cannot update extended resource claim status`);
  }
}

function checkEviction(attributes: AdmissionAttributes, nodeName: string, cache: CacheReader): void {
  const eviction = attributes.object as Eviction;
  const name = attributes.name || eviction.metadata.name || '';
  const pod = cache.get(PODS, attributes.namespace, name) as Pod | undefined;
  if (pod !== undefined && pod.spec.nodeName !== nodeName) {
    throw refuse(attributes, `node "${nodeName}" can only evict pods with spec.nodeName set to itself`);
  }
}

function checkNode(attributes: AdmissionAttributes, nodeName: string): void {
  const node = attributes.object as Node | undefined;
  const before = attributes.before as Node | undefined;
  const name = attributes.name || node?.metadata.name || '';
  if (name !== nodeName) throw refuse(attributes, `node "${nodeName}" is not allowed to modify node "${name}"`);
  if (node === undefined) return;
  if (node.spec.configSource !== undefined && before?.spec.configSource === undefined) {
    throw refuse(attributes, `node "${nodeName}" is not allowed to set configSource`);
  }
  const labels = restrictedLabels(changedLabels(before?.metadata.labels, node.metadata.labels));
  if (labels.length > 0) {
    const what = before === undefined ? 'set the following labels' : 'modify labels';
    throw refuse(attributes, `node "${nodeName}" is not allowed to ${what}: ${labels.join(', ')}`);
  }
  if (before === undefined) return;
  if (!same(node.spec.taints, before.spec.taints)) {
    throw refuse(attributes, `node "${nodeName}" is not allowed to modify taints`);
  }
  if (!same(node.metadata.ownerReferences, before.metadata.ownerReferences)) {
    throw refuse(attributes, `node "${nodeName}" is not allowed to modify ownerReferences`);
  }
}

function checkToken(attributes: AdmissionAttributes, nodeName: string, cache: CacheReader): void {
  const bound = (attributes.object as TokenRequest).spec.boundObjectRef;
  if (bound?.kind !== 'Pod' || bound.apiVersion !== 'v1' || (bound.name ?? '') === '') {
    throw refuse(attributes, 'node requested token not bound to a pod');
  }
  if ((bound.uid ?? '') === '') throw refuse(attributes, 'node requested token with a pod binding without a uid');
  const pod = cache.get(PODS, attributes.namespace, bound.name ?? '') as Pod | undefined;
  if (pod === undefined) throw refuse(attributes, `pod "${bound.name}" not found`);
  if (pod.metadata.uid !== bound.uid) {
    throw refuse(
      attributes,
      `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  if (pod.spec.nodeName !== nodeName)
    throw refuse(attributes, 'node requested token bound to a pod scheduled on a different node');
}

function checkLease(attributes: AdmissionAttributes, nodeName: string): void {
  if (attributes.namespace !== LEASE_NAMESPACE) {
    throw refuse(attributes, `can only access leases in the "${LEASE_NAMESPACE}" system namespace`);
  }
  if ((attributes.name || attributes.object?.metadata.name) !== nodeName) {
    throw refuse(attributes, 'can only access node lease with the same name as the requesting node');
  }
}

function checkCsiNode(attributes: AdmissionAttributes, nodeName: string): void {
  if ((attributes.name || attributes.object?.metadata.name) !== nodeName) {
    throw refuse(attributes, 'can only access CSINode with the same name as the requesting node');
  }
}

function findPod({ namespace, name }: AdmissionAttributes, cache: CacheReader): Pod | undefined {
  return cache.get(PODS, namespace, name) as Pod | undefined;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? []) === JSON.stringify(b ?? []);
}

/** Other changes are held to the node's own slices by the Node authorizer. */
function checkSlice(attributes: AdmissionAttributes, nodeName: string): void {
  const { operation } = attributes;
  if (operation !== 'CREATE' && operation !== 'DELETE') return;
  const slice = (operation === 'CREATE' ? attributes.object : attributes.before) as ResourceSlice | undefined;
  if (slice?.spec.nodeName === nodeName) return;
  const what = operation === 'CREATE' ? 'create' : 'delete';
  throw refuse(attributes, `can only ${what} ResourceSlice with the same NodeName as the requesting node`);
}
