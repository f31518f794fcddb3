import { EVENTS_RULE } from '../rbac/rule-text.ts';
import type { RuleText } from '../rbac/rule-text.ts';
import type { ClusterRoleText } from './cluster-roles.ts';

const READ: RuleText = 'certificates.k8s.io clustertrustbundles : read';

/** The rights that a cluster has with the feature gate ClusterTrustBundle, and not without. */
export const TRUST_BUNDLE_ROLES: {
  readonly node: readonly RuleText[];
  readonly cluster: { readonly [name: string]: ClusterRoleText };
  readonly bindings: { readonly [role: string]: readonly string[] };
  readonly controllers: { readonly [account: string]: readonly RuleText[] };
} = {
  node: [READ],
  cluster: { 'system:cluster-trust-bundle-discovery': { rules: [READ] } },
  bindings: { 'system:cluster-trust-bundle-discovery': ['group:system:serviceaccounts'] },
  controllers: {
    'kube-apiserver-serving-clustertrustbundle-publisher': [
      'certificates.k8s.io signers [kubernetes.io/kube-apiserver-serving] : attest',
      'certificates.k8s.io clustertrustbundles : create delete list update watch',
      EVENTS_RULE,
    ],
  },
};
