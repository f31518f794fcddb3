import type { PolicyRule } from '@binnacle/api/rbac/v1';

/**
 * What of `wanted` is not covered by `owned`, split into rules of one verb, one group, one resource and one name.
 * The union counts: several owned rules may cover one wanted rule together.
 */
export function findUncovered(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter((part) => !owned.some((rule) => covers(rule, part)));
}

function breakDown(rule: PolicyRule): PolicyRule[] {
  const parts: PolicyRule[] = [];
  for (const verb of rule.verbs) {
    for (const url of rule.nonResourceURLs ?? []) parts.push({ verbs: [verb], nonResourceURLs: [url] });
    for (const group of rule.apiGroups ?? []) {
      for (const resource of rule.resources ?? []) {
        const plain = { verbs: [verb], apiGroups: [group], resources: [resource] };
        const names = rule.resourceNames ?? [];
        if (names.length === 0) parts.push(plain);
        for (const name of names) parts.push({ ...plain, resourceNames: [name] });
      }
    }
  }
  return parts;
}

/** Whether one rule covers a part with one of everything. */
function covers(rule: PolicyRule, part: PolicyRule): boolean {
  if (!coversAll(rule.verbs, part.verbs)) return false;
  const url = part.nonResourceURLs?.[0];
  if (url !== undefined) return (rule.nonResourceURLs ?? []).some((owned) => coversUrl(owned, url));
  const names = rule.resourceNames ?? [];
  const partNames = part.resourceNames ?? [];
  return (
    coversAll(rule.apiGroups ?? [], part.apiGroups ?? []) &&
    coversResource(rule.resources ?? [], part.resources?.[0] ?? '') &&
    (names.length === 0 || (partNames.length > 0 && partNames.every((name) => names.includes(name))))
  );
}

function coversAll(owned: readonly string[], wanted: readonly string[]): boolean {
  return owned.includes('*') || wanted.every((item) => owned.includes(item));
}

function coversResource(owned: readonly string[], wanted: string): boolean {
  if (owned.includes('*') || owned.includes(wanted)) return true;
  const slash = wanted.indexOf('/');
  return slash !== -1 && owned.includes(`*${wanted.slice(slash)}`);
}

function coversUrl(owned: string, wanted: string): boolean {
  return owned === wanted || (owned.endsWith('*') && wanted.startsWith(owned.slice(0, -1)));
}

/** Puts rules that differ only in their verbs together. */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const byTarget = new Map<string, PolicyRule>();
  for (const { verbs, ...target } of rules) {
    const key = JSON.stringify(target);
    const known = byTarget.get(key);
    byTarget.set(key, { ...target, verbs: [...new Set([...(known?.verbs ?? []), ...verbs])] });
  }
  return [...byTarget.values()];
}

/** `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}` */
export function describeRule(rule: PolicyRule): string {
  const parts: [string, readonly string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const shown = parts.flatMap(([name, list]) =>
    list === undefined || list.length === 0 ? [] : [`${name}:${quoteList(list)}`],
  );
  return `{${shown.join(', ')}}`;
}

/** `["a" "b"]`, as Go prints a list of quoted strings. */
export function quoteList(list: readonly string[]): string {
  return `[${list.map((item) => JSON.stringify(item)).join(' ')}]`;
}
