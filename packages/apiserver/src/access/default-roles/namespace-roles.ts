import { EVENTS_RULE } from '../rbac/rule-text.ts';
import type { RuleText } from '../rbac/rule-text.ts';

/** A default Role and the binding that goes with it; the binding's name is the role's unless said otherwise. */
export interface NamespaceRoleText {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly RuleText[];
  readonly subjects: readonly string[];
  readonly bindingName?: string;
}

const LEADER_LOCK: readonly RuleText[] = [
  'coordination.k8s.io leases : create read update',
  'coordination.k8s.io leasecandidates : create read update',
];

export const NAMESPACE_ROLE_TEXTS: readonly NamespaceRoleText[] = [
  {
    namespace: 'kube-public',
    name: 'system:controller:bootstrap-signer',
    rules: ['core configmaps : read', 'core configmaps [cluster-info] : update', EVENTS_RULE],
    subjects: ['account:kube-system/bootstrap-signer'],
  },
  {
    namespace: 'kube-system',
    name: 'extension-apiserver-authentication-reader',
    bindingName: 'system::extension-apiserver-authentication-reader',
    rules: ['core configmaps [extension-apiserver-authentication] : read'],
    subjects: ['user:system:kube-controller-manager', 'user:system:kube-scheduler'],
  },
  {
    namespace: 'kube-system',
    name: 'system::leader-locking-kube-controller-manager',
    rules: LEADER_LOCK,
    subjects: [
      'user:system:kube-controller-manager',
      'account:kube-system/kube-controller-manager',
      'account:kube-system/leader-election-controller',
    ],
  },
  {
    namespace: 'kube-system',
    name: 'system::leader-locking-kube-scheduler',
    rules: LEADER_LOCK,
    subjects: ['user:system:kube-scheduler', 'account:kube-system/kube-scheduler'],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:bootstrap-signer',
    rules: ['core secrets : read'],
    subjects: ['account:kube-system/bootstrap-signer'],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:cloud-provider',
    rules: ['core configmaps : create read'],
    subjects: ['account:kube-system/cloud-provider'],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:token-cleaner',
    rules: ['core secrets : delete read', EVENTS_RULE],
    subjects: ['account:kube-system/token-cleaner'],
  },
];
