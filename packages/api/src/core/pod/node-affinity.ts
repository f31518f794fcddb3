import { memberOf } from '@binnacle/machinery';
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Pod } from '../../generated/core-v1.ts';

/** What of a node the selectors look at. */
export interface SelectableNode {
  readonly name: string;
  readonly labels: { readonly [key: string]: string } | undefined;
}

/**
 * May the pod go to this node as far as its nodeSelector and its required node affinity say?
 * (Requirements on labels and on the field metadata.name; an empty term matches nothing.)
 */
export function matchesNodeSelection(pod: Pod, node: SelectableNode): boolean {
  return nodeSelectionOf(pod)(node);
}

/** The same for many nodes: what the pod says is read once, which may be thousands of labels. */
export function nodeSelectionOf({ spec }: Pod): (node: SelectableNode) => boolean {
  const wanted = Object.entries(spec.nodeSelector ?? {});
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (node) => {
    for (const [key, value] of wanted) if (node.labels?.[key] !== value) return false;
    return required === undefined || matchesNodeSelector(required, node);
  };
}

/** Terms are alternatives. */
export function matchesNodeSelector(selector: NodeSelector, node: SelectableNode): boolean {
  return (selector.nodeSelectorTerms ?? []).some((term) => matchesNodeSelectorTerm(term, node));
}

/** All requirements of a term must hold; a term without any matches nothing. */
export function matchesNodeSelectorTerm(term: NodeSelectorTerm, node: SelectableNode): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length === 0 && fields.length === 0) return false;
  return (
    expressions.every((requirement) => holds(requirement, memberOf(node.labels ?? {}, requirement.key))) &&
    fields.every((field) => holds(field, field.key === 'metadata.name' ? node.name : undefined))
  );
}

function holds(requirement: NodeSelectorRequirement, value: string | undefined): boolean {
  const values = requirement.values ?? [];
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return toInteger(value) > toInteger(values[0]);
    case 'Lt':
      return toInteger(value) < toInteger(values[0]);
    default:
      return false;
  }
}

function toInteger(text: string | undefined): number {
  return text !== undefined && /^[+-]?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
}
