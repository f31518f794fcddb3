import type { PolicyRule } from '@binnacle/api/rbac/v1';
import type { RequestAttributes } from '../../ports/authorization.ts';

/** What a rule is compared with; a part of the request's attributes. */
export type RuleQuestion = Pick<
  RequestAttributes,
  'verb' | 'isResource' | 'path' | 'group' | 'resource' | 'subresource' | 'name'
>;

/** Whether one policy rule allows the request. Role-based access only ever adds rights. */
export function ruleAllows(rule: PolicyRule, asked: RuleQuestion): boolean {
  if (!hasOrAll(rule.verbs, asked.verb)) return false;
  if (!asked.isResource) return (rule.nonResourceURLs ?? []).some((url) => pathMatches(url, asked.path));
  return (
    hasOrAll(rule.apiGroups ?? [], asked.group) &&
    resourceMatches(rule.resources ?? [], asked) &&
    nameMatches(rule.resourceNames ?? [], asked.name)
  );
}

function hasOrAll(list: readonly string[], value: string): boolean {
  return list.includes(value) || list.includes('*');
}

/** `*` is every resource and subresource, `X` under every resource when written with a star before the slash. */
function resourceMatches(list: readonly string[], asked: RuleQuestion): boolean {
  if (list.includes('*')) return true;
  if (asked.subresource === '') return list.includes(asked.resource);
  return list.includes(`${asked.resource}/${asked.subresource}`) || list.includes(`*/${asked.subresource}`);
}

function nameMatches(names: readonly string[], name: string): boolean {
  return names.length === 0 || names.includes(name);
}

/** `*` at the end stands for any rest. */
function pathMatches(url: string, path: string): boolean {
  return url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));
}
