import type { Draft } from '../draft.ts';
import type { IngressClass, NetworkPolicy, NetworkPolicyPort } from '../generated/networking-v1.ts';

/** A policy is about what comes in, and about what goes out when it has rules for that. */
export function defaultNetworkPolicy(policy: Draft<NetworkPolicy>): void {
  const spec = policy.spec;
  if (!spec) return;
  for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) defaultPorts(rule.ports);
  if (spec.policyTypes?.length) return;
  spec.policyTypes = spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress'];
}

export function defaultIngressClass(ingressClass: Draft<IngressClass>): void {
  const parameters = ingressClass.spec?.parameters;
  if (parameters) parameters.scope ??= 'Cluster';
}

function defaultPorts(ports: readonly Draft<NetworkPolicyPort>[] | undefined): void {
  for (const port of ports ?? []) port.protocol ??= 'TCP';
}
