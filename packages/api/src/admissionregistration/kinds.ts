import type { KindRules } from '../kind.ts';
import { defaultMutatingWebhooks, defaultPolicy, defaultPolicyBinding, defaultValidatingWebhooks } from './defaults.ts';

/** Rules of the kinds of the group admissionregistration.k8s.io. */
export const ADMISSION_KINDS: { readonly [kind: string]: KindRules } = {
  MutatingAdmissionPolicy: { defaults: defaultPolicy },
  MutatingAdmissionPolicyBinding: { defaults: defaultPolicyBinding },
  MutatingWebhookConfiguration: { defaults: defaultMutatingWebhooks },
  ValidatingAdmissionPolicy: { defaults: defaultPolicy },
  ValidatingAdmissionPolicyBinding: { defaults: defaultPolicyBinding },
  ValidatingWebhookConfiguration: { defaults: defaultValidatingWebhooks },
};
