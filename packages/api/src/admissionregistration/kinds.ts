import type { KindRules } from '../kind.ts';
import { validateMutatingBinding, validateValidatingBinding } from './admission-policy-binding/validation.ts';
import { validateMutatingPolicy, validateValidatingPolicy } from './admission-policy/validation.ts';
import { defaultMutatingWebhooks, defaultPolicy, defaultPolicyBinding, defaultValidatingWebhooks } from './defaults.ts';
import { validatePolicyStatusUpdate } from './policy-status.ts';
import { validateWebhooks, validateWebhooksUpdate } from './webhook-configuration/validation.ts';
import { staticNameWarnings } from './warnings.ts';

/** Rules of the kinds of the group admissionregistration.k8s.io. */
export const ADMISSION_KINDS: { readonly [kind: string]: KindRules } = {
  MutatingAdmissionPolicy: {
    defaults: defaultPolicy,
    validate: validateMutatingPolicy,
    validateUpdate: validateMutatingPolicy,
    warnings: staticNameWarnings,
  },
  MutatingAdmissionPolicyBinding: {
    defaults: defaultPolicyBinding,
    validate: validateMutatingBinding,
    validateUpdate: validateMutatingBinding,
    warnings: staticNameWarnings,
  },
  MutatingWebhookConfiguration: {
    defaults: defaultMutatingWebhooks,
    validate: validateWebhooks,
    validateUpdate: validateWebhooksUpdate,
    warnings: staticNameWarnings,
  },
  ValidatingAdmissionPolicy: {
    defaults: defaultPolicy,
    validate: validateValidatingPolicy,
    validateUpdate: validateValidatingPolicy,
    validateStatusUpdate: validatePolicyStatusUpdate,
    warnings: staticNameWarnings,
  },
  ValidatingAdmissionPolicyBinding: {
    defaults: defaultPolicyBinding,
    validate: validateValidatingBinding,
    validateUpdate: validateValidatingBinding,
    warnings: staticNameWarnings,
  },
  ValidatingWebhookConfiguration: {
    defaults: defaultValidatingWebhooks,
    validate: validateWebhooks,
    validateUpdate: validateWebhooksUpdate,
    warnings: staticNameWarnings,
  },
};
