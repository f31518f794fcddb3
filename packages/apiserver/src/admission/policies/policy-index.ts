/** Policies of one sort and their bindings as they are now, by name; read once, compiled when a request first needs it. */
import type { ResourceInfo } from '@binnacle/api';
import type { MatchResources } from '@binnacle/api/admissionregistration/v1';
import { selectorFromObject } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { AdmissionAttributes } from '../../ports/admission.ts';
import type { CacheReader } from '../../ports/reader.ts';
import { CALLER_QUESTIONS } from '../../request/caller-questions.ts';
import { isAdmissionConfiguration } from '../webhooks/webhook-configurations.ts';
import { isInNamespaces, isSelectedBy, matchRules } from '../webhooks/webhook-match.ts';
import type { Selectors } from '../webhooks/webhook-match.ts';

const GROUP = 'admissionregistration.k8s.io';

/**
 * Whether policies are about such a resource at all: a bad one can always be taken away, and does not keep kubelets and other
 * servers from learning who asks them.
 */
export function isForPolicies(info: Pick<ResourceInfo, 'group' | 'resource'>): boolean {
  return !isAdmissionConfiguration(info) && !CALLER_QUESTIONS.has(`${info.group}/${info.resource}`);
}

/** Which requests are meant. */
export interface Criteria extends Selectors {
  readonly match: MatchResources;
}

function criteriaOf(match: MatchResources): Criteria {
  return {
    match,
    namespaces: selectorFromObject(match.namespaceSelector ?? {}),
    objects: selectorFromObject(match.objectSelector ?? {}),
  };
}

/**
 * The version in which a request is to be seen; undefined: it is not meant. Without rules every request is. Throws 404
 * for a namespace that is not there, where its labels matter.
 */
export function matchCriteria(criteria: Criteria, attributes: AdmissionAttributes): ResourceInfo | undefined {
  const { matchPolicy, resourceRules = [], excludeResourceRules = [] } = criteria.match;
  const isEquivalent = matchPolicy !== 'Exact';
  if (!isSelectedBy(criteria, attributes)) return undefined;
  if (matchRules(excludeResourceRules, attributes, isEquivalent) !== undefined) return undefined;
  const version = resourceRules.length === 0 ? attributes.info : matchRules(resourceRules, attributes, isEquivalent);
  return version !== undefined && isInNamespaces(criteria, attributes) ? version : undefined;
}

interface Policy extends KubeObject {
  readonly spec: { readonly matchConstraints?: MatchResources };
}

interface Binding extends KubeObject {
  readonly spec: { readonly policyName?: string; readonly matchResources?: MatchResources };
}

/** A binding with what is read of it once. */
export interface IndexedBinding<B> {
  readonly name: string;
  readonly binding: B;
  /** Undefined: every request that the policy is about. */
  readonly criteria: Criteria | undefined;
}

/** A policy with its bindings, by their names. */
export interface IndexedPolicy<P, B> {
  readonly name: string;
  readonly policy: P;
  readonly criteria: Criteria;
  readonly bindings: readonly IndexedBinding<B>[];
}

export class PolicyIndex<P extends Policy, B extends Binding> {
  readonly #policies = new Map<string, { readonly policy: P; readonly criteria: Criteria }>();
  readonly #bindings = new Map<string, IndexedBinding<B>>();
  #bound: readonly IndexedPolicy<P, B>[] | undefined = [];

  /** `resource`: that of the policies; that of their bindings is called after it. */
  constructor(cache: CacheReader, resources: { readonly policies: string; readonly bindings: string }) {
    cache.follow({ group: GROUP, resource: resources.policies }, (before, after) => {
      this.#bound = undefined;
      const name = (after ?? before)?.metadata.name ?? '';
      if (after === undefined) this.#policies.delete(name);
      else this.#policies.set(name, readPolicy(after as P));
    });
    cache.follow({ group: GROUP, resource: resources.bindings }, (before, after) => {
      this.#bound = undefined;
      const name = (after ?? before)?.metadata.name ?? '';
      if (after === undefined) this.#bindings.delete(name);
      else this.#bindings.set(name, readBinding(name, after as B));
    });
  }

  /** Policies that a binding puts to work, by their names. */
  get bound(): readonly IndexedPolicy<P, B>[] {
    this.#bound ??= this.#join();
    return this.#bound;
  }

  #join(): readonly IndexedPolicy<P, B>[] {
    const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);
    const byPolicy = Map.groupBy(
      [...this.#bindings.values()].toSorted(byName),
      ({ binding }) => binding.spec.policyName,
    );
    return [...this.#policies]
      .map(([name, policy]) => ({ name, ...policy, bindings: byPolicy.get(name) ?? [] }))
      .filter(({ bindings }) => bindings.length > 0)
      .toSorted(byName);
  }
}

function readPolicy<P extends Policy>(policy: P): { readonly policy: P; readonly criteria: Criteria } {
  return { policy, criteria: criteriaOf(policy.spec.matchConstraints ?? {}) };
}

function readBinding<B extends Binding>(name: string, binding: B): IndexedBinding<B> {
  const { matchResources } = binding.spec;
  return { name, binding, criteria: matchResources === undefined ? undefined : criteriaOf(matchResources) };
}
