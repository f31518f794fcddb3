import { matchesLabels, selectorFromObject, SelectorError, storedSelector } from '@binnacle/machinery';
import type { LabelSelector, Requirement, Selector } from '@binnacle/machinery';
import type { Pod, PodAffinityTerm } from '@binnacle/api/core/v1';

/** A term of pod affinity, read once. */
export interface AffinityTerm {
  readonly topologyKey: string;
  /** Of a preferred term; 1 of a required one. */
  readonly weight: number;
  readonly selector: Selector;
  readonly namespaces: ReadonlySet<string>;
  /** Namespaces by their labels, besides those by name. */
  readonly namespaceSelector: Selector | undefined;
}

/** All terms of one pod. */
export interface AffinityTerms {
  readonly affinity: readonly AffinityTerm[];
  readonly antiAffinity: readonly AffinityTerm[];
  readonly preferred: readonly AffinityTerm[];
  /** Preferred anti-affinity, weights negative. */
  readonly disliked: readonly AffinityTerm[];
  /** Why some of them cannot be read, where that is so: they choose nothing then, and the pod itself is placed nowhere. */
  readonly unreadable?: string;
}

/** The labels of a namespace; undefined: it is not known. */
export type NamespaceLabels = (namespace: string) => { readonly [key: string]: string } | undefined;

const NO_TERMS: AffinityTerms = { affinity: [], antiAffinity: [], preferred: [], disliked: [] };

/** Reads the terms of a pod; never throws, as it may be one of many that were placed long ago. */
export function affinityTermsOf(pod: Pod): AffinityTerms {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return NO_TERMS;
  const weighted = (terms: readonly { weight: number; podAffinityTerm: PodAffinityTerm }[] = [], sign: 1 | -1) =>
    terms.map((t) => readTerm(pod, t.podAffinityTerm, sign * t.weight));
  const unreadable = whyUnreadable(pod);
  return {
    ...(unreadable === undefined ? {} : { unreadable }),
    affinity: (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((t) => readTerm(pod, t, 1)),
    antiAffinity: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((t) =>
      readTerm(pod, t, 1),
    ),
    preferred: weighted(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution, 1),
    disliked: weighted(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution, -1),
  };
}

function whyUnreadable({ spec }: Pod): string | undefined {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms = [podAffinity, podAntiAffinity].flatMap((one) => [
    ...(one?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  try {
    for (const { labelSelector, namespaceSelector } of terms) {
      selectorFromObject(labelSelector);
      selectorFromObject(namespaceSelector);
    }
  } catch (error) {
    if (error instanceof SelectorError) return error.message;
    throw error;
  }
  return undefined;
}

function readTerm(pod: Pod, term: PodAffinityTerm, weight: number): AffinityTerm {
  const { namespaces = [], namespaceSelector } = term;
  const isOpen = namespaces.length === 0 && namespaceSelector === undefined;
  return {
    topologyKey: term.topologyKey,
    weight,
    selector: selectorWithKeys(term.labelSelector, pod, term),
    namespaces: new Set(isOpen ? [pod.metadata.namespace ?? ''] : namespaces),
    namespaceSelector: namespaceSelector === undefined ? undefined : storedSelector(namespaceSelector),
  };
}

/**
 * A selector joined with the pod's own values of some label keys. Keys that the pod lacks are passed over, and so is a
 * term without a selector, which matches nothing (KEP-3633, KEP-3243). The API server has written the same
 * requirements into the selector of pods that came through it; twice says no more than once.
 */
export function selectorWithKeys(
  labelSelector: LabelSelector | undefined,
  pod: Pod,
  keys: { readonly matchLabelKeys?: readonly string[]; readonly mismatchLabelKeys?: readonly string[] },
): Selector {
  const selector = storedSelector(labelSelector);
  if (selector.nothing === true) return selector;
  const labels = pod.metadata.labels ?? {};
  const joined = (names: readonly string[] = [], operator: 'in' | 'notin'): Requirement[] =>
    names.flatMap((key) => {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      return value === undefined ? [] : [{ key, operator, values: [value] }];
    });
  const added = [...joined(keys.matchLabelKeys, 'in'), ...joined(keys.mismatchLabelKeys, 'notin')];
  return added.length === 0 ? selector : { requirements: [...selector.requirements, ...added] };
}

/** Whether a term speaks of a pod. */
export function termMatches(term: AffinityTerm, pod: Pod, namespaceLabels: NamespaceLabels): boolean {
  const namespace = pod.metadata.namespace ?? '';
  if (!term.namespaces.has(namespace)) {
    if (term.namespaceSelector === undefined) return false;
    const labels = namespaceLabels(namespace);
    if (!matchesLabels(term.namespaceSelector, labels ?? {})) return false;
  }
  return matchesLabels(term.selector, pod.metadata.labels);
}
