import type { KindBehaviours } from './behaviour.ts';

/** Kinds that are kept and shown while nothing acts upon them yet: who creates one is told. A row goes when its part comes. */
export const NOT_ACTED_UPON: KindBehaviours = {
  'mutatingadmissionpolicies.admissionregistration.k8s.io': warned('the policy is stored and not evaluated'),
  'validatingadmissionpolicies.admissionregistration.k8s.io': warned('the policy is stored and not evaluated'),
};

function warned(message: string): { readonly strategy: { warnings(): readonly string[] } } {
  return { strategy: { warnings: () => [`${message}: see "not yet" in the README of Binnacle`] } };
}
