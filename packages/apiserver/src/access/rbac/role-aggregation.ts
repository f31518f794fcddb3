import type { ClusterRole, PolicyRule } from '@binnacle/api/rbac/v1';
import { matchesLabels, selectorFromObject } from '@binnacle/machinery';

/** The rules that an aggregating ClusterRole takes from the others: in the order of their names, each rule once. */
export function aggregateRules(target: ClusterRole, all: readonly ClusterRole[]): PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  for (const labels of target.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = selectorFromObject(labels);
    const sources = all
      .filter((role) => role.metadata.name !== target.metadata.name && matchesLabels(selector, role.metadata.labels))
      .toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
    for (const rule of sources.flatMap((role) => role.rules ?? [])) rules.set(ruleKey(rule), rule);
  }
  return [...rules.values()];
}

/** Whether two lists of rules say the same in the same order. */
export function sameRules(a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean {
  return a.length === b.length && a.every((rule, i) => isSame(rule, b[i] ?? { verbs: [] }));
}

function isSame(a: PolicyRule, b: PolicyRule): boolean {
  return a === b || ruleKey(a) === ruleKey(b);
}

/** Equal rules have equal keys, whatever the order of their fields and whether empty lists are written out. */
function ruleKey(rule: PolicyRule): string {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs]);
}
