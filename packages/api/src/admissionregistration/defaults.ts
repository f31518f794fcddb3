import type { Draft } from '../draft.ts';
import type {
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../generated/admissionregistration-v1.ts';

const HTTPS_PORT = 443;

export function defaultMutatingWebhooks(configuration: Draft<MutatingWebhookConfiguration>): void {
  for (const webhook of configuration.webhooks ?? []) {
    defaultWebhook(webhook);
    webhook.reinvocationPolicy ??= 'Never';
  }
}

export function defaultValidatingWebhooks(configuration: Draft<ValidatingWebhookConfiguration>): void {
  for (const webhook of configuration.webhooks ?? []) defaultWebhook(webhook);
}

/** Of ValidatingAdmissionPolicy and MutatingAdmissionPolicy. */
export function defaultPolicy(policy: Draft<ValidatingAdmissionPolicy> | Draft<MutatingAdmissionPolicy>): void {
  const spec = policy.spec;
  if (!spec) return;
  spec.failurePolicy ??= 'Fail';
  if (spec.matchConstraints) defaultMatch(spec.matchConstraints);
}

export function defaultPolicyBinding(
  binding: Draft<ValidatingAdmissionPolicyBinding> | Draft<MutatingAdmissionPolicyBinding>,
): void {
  if (binding.spec?.matchResources) defaultMatch(binding.spec.matchResources);
}

function defaultWebhook(webhook: Draft<MutatingWebhook> | Draft<ValidatingWebhook>): void {
  webhook.failurePolicy ??= 'Fail';
  webhook.matchPolicy ??= 'Equivalent';
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= 10;
  for (const rule of webhook.rules ?? []) rule.scope ??= '*';
  if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= HTTPS_PORT;
}

function defaultMatch(match: Draft<MatchResources>): void {
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) rule.scope ??= '*';
}
