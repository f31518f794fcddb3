import { EVENTS_RULE } from '../rbac/rule-text.ts';
import type { RuleText } from '../rbac/rule-text.ts';

/** A default ClusterRole. Names, groups and verbs are those of every Kubernetes cluster of v1.36. */
export interface ClusterRoleText {
  readonly rules: readonly RuleText[];
  /** Takes its rules from the ClusterRoles that are labelled `aggregate-to-<this>`. */
  readonly aggregates?: string;
  readonly aggregateTo?: string;
}

const APP_WRITES: readonly RuleText[] = [
  'core pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy : read',
  'core serviceaccounts : impersonate',
  'core pods pods/attach pods/exec pods/portforward pods/proxy : write',
  'core pods/eviction : create',
  'core configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy : write',
  'core serviceaccounts/token : create',
  'apps daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale : write',
  'autoscaling horizontalpodautoscalers : write',
  'events.k8s.io events : write',
  'batch cronjobs jobs : write',
  'extensions daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale : write',
  'policy poddisruptionbudgets : write',
  'networking.k8s.io ingresses networkpolicies : write',
  'coordination.k8s.io leases : all',
  'resource.k8s.io resourceclaims resourceclaimtemplates : write',
];

const APP_READS: readonly RuleText[] = [
  'core configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status : read',
  'core bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status : read',
  'core namespaces : read',
  'discovery.k8s.io endpointslices : read',
  'apps controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status : read',
  'autoscaling horizontalpodautoscalers horizontalpodautoscalers/status : read',
  'events.k8s.io events : read',
  'batch cronjobs cronjobs/status jobs jobs/status : read',
  'extensions daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale : read',
  'policy poddisruptionbudgets poddisruptionbudgets/status : read',
  'networking.k8s.io ingresses ingresses/status networkpolicies : read',
  'resource.k8s.io resourceclaims resourceclaims/status resourceclaimtemplates : read',
];

/** What any node may do; the Node authorizer judges the subdivided resources among them by its graph. */
export const NODE_RULES: readonly RuleText[] = [
  'authentication.k8s.io tokenreviews : create',
  'authorization.k8s.io localsubjectaccessreviews subjectaccessreviews : create',
  'core services : read',
  'core nodes : create read',
  'core nodes/status : patch update',
  'core nodes : patch update',
  EVENTS_RULE,
  'core pods : read',
  'core pods : create delete',
  'core pods/status : patch update',
  'core pods/eviction : create',
  'core configmaps secrets : read',
  'core persistentvolumeclaims persistentvolumes : get',
  'core endpoints : get',
  'certificates.k8s.io certificatesigningrequests : create read',
  'coordination.k8s.io leases : create delete get patch update',
  'storage.k8s.io volumeattachments : get',
  'core serviceaccounts/token : create',
  'core serviceaccounts : get',
  'core persistentvolumeclaims/status : get patch update',
  'storage.k8s.io csidrivers : read',
  'storage.k8s.io csinodes : create delete get patch update',
  'node.k8s.io runtimeclasses : read',
  'resource.k8s.io resourceclaims : get',
  'resource.k8s.io resourceslices : deletecollection',
];

const SCHEDULER_RULES: readonly RuleText[] = [
  EVENTS_RULE,
  'coordination.k8s.io leases : create',
  'coordination.k8s.io leases [kube-scheduler] : read update',
  'coordination.k8s.io leasecandidates : all',
  'core nodes : read',
  'core pods : delete read',
  'core bindings pods/binding : create',
  'core pods/status : patch update',
  'core replicationcontrollers services : read',
  'apps,extensions replicasets : read',
  'apps statefulsets : read',
  'policy poddisruptionbudgets : read',
  'core persistentvolumeclaims persistentvolumes : read',
  'authentication.k8s.io tokenreviews : create',
  'authorization.k8s.io subjectaccessreviews : create',
  'storage.k8s.io csinodes : read',
  'core namespaces : read',
  'storage.k8s.io csidrivers : read',
  'storage.k8s.io csistoragecapacities : read',
  'storage.k8s.io volumeattachments : read',
  'resource.k8s.io deviceclasses : read',
  'resource.k8s.io resourceclaims : create delete patch read update',
  'resource.k8s.io resourceclaims/status : patch read update',
  'resource.k8s.io resourceclaims/binding : patch update',
  'resource.k8s.io resourceslices : read',
  'core pods/finalizers : update',
];

const CONTROLLER_MANAGER_RULES: readonly RuleText[] = [
  EVENTS_RULE,
  'coordination.k8s.io leases : create',
  'coordination.k8s.io leases [kube-controller-manager] : get update',
  'core secrets serviceaccounts : create',
  'core secrets : delete',
  'core configmaps namespaces secrets serviceaccounts : get',
  'core secrets serviceaccounts : update',
  'authentication.k8s.io tokenreviews : create',
  'authorization.k8s.io subjectaccessreviews : create',
  '* * : list watch',
  'core serviceaccounts/token : create',
];

const CERTIFICATE_ROLES: { readonly [name: string]: ClusterRoleText } = {
  'system:certificates.k8s.io:certificatesigningrequests:nodeclient': {
    rules: ['certificates.k8s.io certificatesigningrequests/nodeclient : create'],
  },
  'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient': {
    rules: ['certificates.k8s.io certificatesigningrequests/selfnodeclient : create'],
  },
  'system:certificates.k8s.io:kube-apiserver-client-approver': {
    rules: ['certificates.k8s.io signers [kubernetes.io/kube-apiserver-client] : approve'],
  },
  'system:certificates.k8s.io:kube-apiserver-client-kubelet-approver': {
    rules: ['certificates.k8s.io signers [kubernetes.io/kube-apiserver-client-kubelet] : approve'],
  },
  'system:certificates.k8s.io:kubelet-serving-approver': {
    rules: ['certificates.k8s.io signers [kubernetes.io/kubelet-serving] : approve'],
  },
  'system:certificates.k8s.io:legacy-unknown-approver': {
    rules: ['certificates.k8s.io signers [kubernetes.io/legacy-unknown] : approve'],
  },
};

/** Binnacle's own: who reads the trace sees what they may read anyway; components of other processes report. */
const TRACE_ROLES: { readonly [name: string]: ClusterRoleText } = {
  'binnacle:trace-viewer': {
    aggregateTo: 'view',
    rules: ['trace.binnacle.dev explanations hops revisions : read'],
  },
  'binnacle:trace-reporter': { rules: ['trace.binnacle.dev hopreports : create'] },
};

/** The ClusterRoles of every cluster, the controllers' apart. */
export const CLUSTER_ROLE_TEXTS: { readonly [name: string]: ClusterRoleText } = {
  'cluster-admin': { rules: ['* * : *', 'url * : *'] },
  admin: { rules: [], aggregates: 'admin' },
  edit: { rules: [], aggregates: 'edit', aggregateTo: 'admin' },
  view: { rules: [], aggregates: 'view', aggregateTo: 'edit' },
  'system:aggregate-to-admin': {
    aggregateTo: 'admin',
    rules: [
      'authorization.k8s.io localsubjectaccessreviews : create',
      'rbac.authorization.k8s.io rolebindings roles : all',
    ],
  },
  ...TRACE_ROLES,
  'system:aggregate-to-edit': { aggregateTo: 'edit', rules: APP_WRITES },
  'system:aggregate-to-view': { aggregateTo: 'view', rules: APP_READS },
  // Of the server of these figures, which is part of this one.
  'system:aggregated-metrics-reader': { aggregateTo: 'view', rules: ['metrics.k8s.io nodes pods : read'] },
  'system:auth-delegator': {
    rules: ['authentication.k8s.io tokenreviews : create', 'authorization.k8s.io subjectaccessreviews : create'],
  },
  'system:basic-user': {
    rules: [
      'authorization.k8s.io selfsubjectaccessreviews selfsubjectrulesreviews : create',
      'authentication.k8s.io selfsubjectreviews : create',
    ],
  },
  ...CERTIFICATE_ROLES,
  'system:discovery': {
    rules: ['url /api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/ : get'],
  },
  'system:heapster': { rules: ['core events namespaces nodes pods : read', 'extensions deployments : read'] },
  'system:kube-aggregator': { rules: ['core endpoints services : read'] },
  'system:kube-controller-manager': { rules: CONTROLLER_MANAGER_RULES },
  'system:kube-dns': { rules: ['core endpoints services : list watch'] },
  'system:kube-scheduler': { rules: SCHEDULER_RULES },
  'system:kubelet-api-admin': {
    rules: [
      'core nodes : read',
      'core nodes : proxy',
      'core nodes/configz nodes/healthz nodes/log nodes/metrics nodes/pods nodes/proxy nodes/stats : *',
    ],
  },
  'system:monitoring': {
    rules: [
      'url /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /flagz /statusz : get',
      'core nodes/metrics : get',
    ],
  },
  'system:node': { rules: NODE_RULES },
  'system:node-bootstrapper': { rules: ['certificates.k8s.io certificatesigningrequests : create read'] },
  'system:node-problem-detector': { rules: ['core nodes : get', 'core nodes/status : patch', EVENTS_RULE] },
  'system:node-proxier': {
    rules: [
      'core endpoints services : list watch',
      'core nodes : read',
      EVENTS_RULE,
      'discovery.k8s.io endpointslices : list watch',
      'networking.k8s.io servicecidrs : list watch',
    ],
  },
  'system:persistent-volume-provisioner': {
    rules: [
      'core persistentvolumes : create delete read',
      'core persistentvolumeclaims : read update',
      'storage.k8s.io storageclasses : read',
      'core events : watch',
      EVENTS_RULE,
    ],
  },
  'system:public-info-viewer': { rules: ['url /healthz /livez /readyz /version /version/ : get'] },
  'system:service-account-issuer-discovery': {
    rules: [
      'url /.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/ : get',
    ],
  },
  'system:volume-scheduler': {
    rules: [
      'core persistentvolumes : patch read update',
      'storage.k8s.io storageclasses : read',
      'core persistentvolumeclaims : patch read update',
    ],
  },
};

/** Who has them: `user:`, `group:` or `account:namespace/name`. */
export const CLUSTER_ROLE_BINDING_TEXTS: { readonly [role: string]: readonly string[] } = {
  'cluster-admin': ['group:system:masters'],
  'binnacle:trace-reporter': [
    'user:system:kube-scheduler',
    'user:system:kube-controller-manager',
    'group:system:nodes',
  ],
  'system:monitoring': ['group:system:monitoring'],
  'system:discovery': ['group:system:authenticated'],
  'system:basic-user': ['group:system:authenticated'],
  'system:public-info-viewer': ['group:system:authenticated', 'group:system:unauthenticated'],
  'system:node-proxier': ['user:system:kube-proxy'],
  'system:kube-controller-manager': ['user:system:kube-controller-manager'],
  'system:kube-dns': ['account:kube-system/kube-dns'],
  'system:kube-scheduler': ['user:system:kube-scheduler'],
  'system:volume-scheduler': ['user:system:kube-scheduler'],
  // Nodes have their rights from the Node authorizer.
  'system:node': [],
  'system:service-account-issuer-discovery': ['group:system:serviceaccounts'],
};
