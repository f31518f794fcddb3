import { formatSelector, matchesLabels, selectorFromObject } from '@binnacle/machinery';
import type { LabelSelector, Selector } from '@binnacle/machinery';

/** Pods by their labels, in one namespace or in those that have the labels asked for. */
export interface Selection {
  /** The same for whatever selects the same pods in the same words. */
  readonly id: string;
  readonly namespace?: string;
  readonly namespaceSelector?: Selector;
  readonly podSelector: Selector;
}

/** What a selection looks at in a pod. */
export interface Selectable {
  readonly namespace: string;
  readonly labels: { readonly [name: string]: string };
}

/** All pods of all namespaces. */
export const EVERY_POD: Selection = { id: ';', podSelector: selectorFromObject({}) };

/** Pods of one namespace. Throws SelectorError. */
export function selectInNamespace(namespace: string, pods: LabelSelector): Selection {
  const podSelector = selectorFromObject(pods);
  return { id: `${namespace};${formatSelector(podSelector)}`, namespace, podSelector };
}

/** Pods of all namespaces that have the labels. Throws SelectorError. */
export function selectAcross(namespaces: LabelSelector, pods: LabelSelector): Selection {
  const namespaceSelector = selectorFromObject(namespaces);
  const podSelector = selectorFromObject(pods);
  // No namespace has an empty name, and no selector a semicolon.
  return { id: `;${formatSelector(namespaceSelector)};${formatSelector(podSelector)}`, namespaceSelector, podSelector };
}

/** Whether a pod is meant; the labels of its namespace are undefined while nobody knows them. */
export function selects(
  { namespace, namespaceSelector, podSelector }: Selection,
  pod: Selectable,
  namespaceLabels: Selectable['labels'] | undefined,
): boolean {
  if (namespace !== undefined && namespace !== pod.namespace) return false;
  if (namespaceSelector !== undefined) {
    if (namespaceLabels === undefined || !matchesLabels(namespaceSelector, namespaceLabels)) return false;
  }
  return matchesLabels(podSelector, pod.labels);
}
