import { loadBalancerWarnings } from '../core/service/warnings.ts';
import type { KindRules } from '../kind.ts';
import {
  addressNameErrors,
  validateIpAddress,
  validateIpAddressUpdate,
  validateServiceCidr,
  validateServiceCidrUpdate,
} from './address-validation.ts';
import { defaultIngressClass, defaultNetworkPolicy } from './defaults.ts';
import { validateIngressClass, validateIngressClassUpdate } from './ingress-class-validation.ts';
import { validateIngress, validateIngressStatusUpdate, validateIngressUpdate } from './ingress-validation.ts';
import { validateNetworkPolicy } from './network-policy-validation.ts';
import { ingressWarnings, networkPolicyWarnings } from './warnings.ts';

/** Rules of the kinds of the group networking.k8s.io. */
export const NETWORKING_KINDS: { readonly [kind: string]: KindRules } = {
  IPAddress: {
    nameCheck: addressNameErrors,
    validate: validateIpAddress,
    validateUpdate: validateIpAddressUpdate,
  },
  Ingress: {
    validate: validateIngress,
    validateUpdate: validateIngressUpdate,
    validateStatusUpdate: validateIngressStatusUpdate,
    warnings: ingressWarnings,
    statusWarnings: loadBalancerWarnings,
  },
  IngressClass: {
    defaults: defaultIngressClass,
    validate: validateIngressClass,
    validateUpdate: validateIngressClassUpdate,
  },
  NetworkPolicy: {
    defaults: defaultNetworkPolicy,
    validate: validateNetworkPolicy,
    validateUpdate: validateNetworkPolicy,
    warnings: networkPolicyWarnings,
  },
  ServiceCIDR: { validate: validateServiceCidr, validateUpdate: validateServiceCidrUpdate },
};
