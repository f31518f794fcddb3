import type { PolicyRule } from '@binnacle/api/rbac/v1';
import type { AuthorizationDecision, LocalAuthorizer, RequestAttributes } from '../ports/authorization.ts';
import { requiredField } from '../request/required-field.ts';
import type { NodeGraph, ReachableResource } from './node-graph.ts';
import { ruleAllows } from './rbac/rule-match.ts';
import { nodeNameOf } from './users.ts';

type Judge = (nodeName: string, attributes: RequestAttributes, graph: NodeGraph) => AuthorizationDecision;

const ALLOW: AuthorizationDecision = { decision: 'allow', reason: '' };
const LEASE_NAMESPACE = 'kube-node-lease';

/** Resources that are not open to all nodes alike; the rest is judged by the rules of `system:node`. */
const SUBDIVIDED: { readonly [resource: string]: Judge } = {
  secrets: judgeRead('secrets'),
  configmaps: judgeRead('configmaps'),
  persistentvolumes: judgeGet('persistentvolumes'),
  persistentvolumeclaims: judgeClaim,
  serviceaccounts: judgeAccount,
  pods: judgePod,
  nodes: judgeNode,
  'resourceclaims.resource.k8s.io': judgeGet('resourceclaims'),
  'resourceslices.resource.k8s.io': judgeSlice,
  'leases.coordination.k8s.io': judgeLease,
  'csinodes.storage.k8s.io': judgeCsiNode,
};

/** Gives a kubelet what the pods on its node need, and its own Node, Lease and CSINode. */
export function createNodeAuthorizer(graph: NodeGraph, nodeRules: readonly PolicyRule[]): LocalAuthorizer {
  return {
    authorize(attributes) {
      const nodeName = nodeNameOf(attributes.user);
      if (nodeName === undefined) return refuse('');
      if (nodeName === '') return refuse(`unknown node for user "${attributes.user.name}"`);
      const { group, resource } = attributes;
      const judge = attributes.isResource ? SUBDIVIDED[group === '' ? resource : `${resource}.${group}`] : undefined;
      if (judge !== undefined) return judge(nodeName, attributes, graph);
      return nodeRules.some((rule) => ruleAllows(rule, attributes)) ? ALLOW : refuse('');
    },
  };
}

function refuse(reason: string): AuthorizationDecision {
  return { decision: 'noOpinion', reason };
}

function related(
  nodeName: string,
  a: RequestAttributes,
  how: { graph: NodeGraph; resource: ReachableResource },
): AuthorizationDecision {
  if (a.name === '') return refuse('No Object name found');
  if (how.graph.reaches(nodeName, how.resource, a)) return ALLOW;
  return refuse(`no relationship found between node '${nodeName}' and this object`);
}

function judgeRead(resource: ReachableResource): Judge {
  return (nodeName, a, graph) => {
    if (!['get', 'list', 'watch'].includes(a.verb)) return refuse('can only read resources of this type');
    if (a.subresource !== '') return refuse('cannot read subresource');
    if (a.namespace === '') return refuse('can only read namespaced object of this type');
    return related(nodeName, a, { graph, resource });
  };
}

function judgeGet(resource: ReachableResource): Judge {
  return (nodeName, a, graph) => {
    if (a.verb !== 'get') return refuse('can only get individual resources of this type');
    if (a.subresource !== '') return refuse('cannot get subresource');
    return related(nodeName, a, { graph, resource });
  };
}

function judgeClaim(nodeName: string, a: RequestAttributes, graph: NodeGraph): AuthorizationDecision {
  if (a.subresource !== 'status') return judgeGet('persistentvolumeclaims')(nodeName, a, graph);
  if (a.verb !== 'update' && a.verb !== 'patch') return refuse('can only update resources of this type');
  return related(nodeName, a, { graph, resource: 'persistentvolumeclaims' });
}

function judgeAccount(nodeName: string, a: RequestAttributes, graph: NodeGraph): AuthorizationDecision {
  // For credential providers that take the account's token.
  if (a.verb === 'get' && a.subresource === '') return judgeRead('serviceaccounts')(nodeName, a, graph);
  if (a.verb !== 'create' || a.subresource !== 'token') {
    return refuse('can only create tokens for individual service accounts');
  }
  return related(nodeName, a, { graph, resource: 'serviceaccounts' });
}

/** Creation, deletion and status are held to the node's own pods by NodeRestriction. */
function judgePod(nodeName: string, a: RequestAttributes, graph: NodeGraph): AuthorizationDecision {
  const action = a.subresource === '' ? a.verb : `${a.subresource} ${a.verb}`;
  switch (action) {
    case 'get':
      return related(nodeName, a, { graph, resource: 'pods' });
    case 'list':
    case 'watch':
      if (requiredField(a.fieldSelector ?? '', 'spec.nodeName') === nodeName) return ALLOW;
      if (a.name !== '') return related(nodeName, a, { graph, resource: 'pods' });
      return refuse('can only list/watch pods with spec.nodeName field selector');
    case 'create':
    case 'delete':
    case 'status update':
    case 'status patch':
    case 'eviction create':
      return ALLOW;
    default:
      return refuse('');
  }
}

function judgeNode(nodeName: string, a: RequestAttributes): AuthorizationDecision {
  const action = a.subresource === '' ? a.verb : `${a.subresource} ${a.verb}`;
  if (['create', 'update', 'patch', 'status update', 'status patch'].includes(action)) return ALLOW;
  if (!['get', 'list', 'watch'].includes(action)) return refuse('');
  const { name } = a;
  if (name === nodeName) return ALLOW;
  return refuse(
    name === ''
      ? `node '${nodeName}' cannot read all nodes, only its own Node object`
      : `node '${nodeName}' cannot read '${name}', only its own Node object`,
  );
}

function judgeLease(nodeName: string, a: RequestAttributes): AuthorizationDecision {
  if (!['get', 'create', 'update', 'patch', 'delete'].includes(a.verb)) {
    return refuse('can only get, create, update, patch, or delete a node lease');
  }
  if (a.namespace !== LEASE_NAMESPACE)
    return refuse(`can only access leases in the "${LEASE_NAMESPACE}" system namespace`);
  // The name of a new lease is in its body: NodeRestriction looks at it.
  if (a.verb !== 'create' && a.name !== nodeName) {
    return refuse('can only access node lease with the same name as the requesting node');
  }
  return ALLOW;
}

function judgeCsiNode(nodeName: string, a: RequestAttributes): AuthorizationDecision {
  if (!['get', 'create', 'update', 'patch', 'delete'].includes(a.verb)) {
    return refuse('can only get, create, update, patch, or delete a CSINode');
  }
  if (a.subresource !== '') return refuse('cannot authorize CSINode subresources');
  if (a.verb !== 'create' && a.name !== nodeName) {
    return refuse('can only access CSINode with the same name as the requesting node');
  }
  return ALLOW;
}

/** What a new slice says of its node is looked at by NodeRestriction. */
function judgeSlice(nodeName: string, a: RequestAttributes, graph: NodeGraph): AuthorizationDecision {
  if (a.subresource !== '') return refuse('cannot authorize ResourceSlice subresources');
  switch (a.verb) {
    case 'create':
      return ALLOW;
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return related(nodeName, a, { graph, resource: 'resourceslices' });
    case 'list':
    case 'watch':
    case 'deletecollection':
      return requiredField(a.fieldSelector ?? '', 'spec.nodeName') === nodeName
        ? ALLOW
        : refuse('can only list/watch/deletecollection resourceslices with nodeName field selector');
    default:
      return refuse(
        'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      );
  }
}
