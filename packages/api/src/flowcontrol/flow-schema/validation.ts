import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type {
  FlowSchema,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
} from '../../generated/flowcontrol-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateConditionTypes } from '../condition-types.ts';
import { validateSubject } from './subject-validation.ts';

const SPEC = fieldPath('spec');
const PRECEDENCE_MAX = 10_000;
const DISTINGUISHERS = ['ByNamespace', 'ByUser'];
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

export function validateFlowSchema(schema: FlowSchema): FieldError[] {
  const report = new Report();
  validatePrecedence(schema, report);
  validateSpec(schema.spec, report);
  validateConditionTypes(schema.status?.conditions, report);
  return report.errors;
}

export function validateFlowSchemaStatusUpdate({ status }: FlowSchema): FieldError[] {
  const report = new Report();
  validateConditionTypes(status?.conditions, report);
  return report.errors;
}

function validatePrecedence({ metadata, spec }: FlowSchema, report: Report): void {
  const path = SPEC.child('matchingPrecedence');
  const precedence = spec.matchingPrecedence ?? 0;
  if (precedence <= 0) report.invalid(path, precedence, 'must be a positive value');
  if (precedence > PRECEDENCE_MAX) report.invalid(path, precedence, `must not be greater than ${PRECEDENCE_MAX}`);
  if (precedence === 1 && metadata.name !== 'exempt') {
    report.invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  }
}

function validateSpec(spec: FlowSchemaSpec, report: Report): void {
  const method = spec.distinguisherMethod;
  if (method && !DISTINGUISHERS.includes(method.type)) {
    report.unsupported(SPEC.child('distinguisherMethod').child('type'), method, DISTINGUISHERS);
  }
  const level = spec.priorityLevelConfiguration?.name;
  const path = SPEC.child('priorityLevelConfiguration').child('name');
  if (level) report.invalidEach(path, level, names.subdomainErrors(level));
  else report.required(path, 'must reference a priority level');
  for (const [at, rule] of (spec.rules ?? []).entries()) validateRule(rule, SPEC.child('rules').index(at), report);
}

function validateRule(rule: PolicyRulesWithSubjects, path: FieldPath, report: Report): void {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = rule.subjects ?? [];
  if (subjects.length === 0) report.required(path.child('subjects'), 'subjects must contain at least one value');
  for (const [at, subject] of subjects.entries()) validateSubject(subject, path.child('subjects').index(at), report);
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    report.required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty');
  }
  for (const [at, one] of resourceRules.entries()) {
    validateResourceRule(one, path.child('resourceRules').index(at), report);
  }
  for (const [at, one] of nonResourceRules.entries()) {
    validateNonResourceRule(one, path.child('nonResourceRules').index(at), report);
  }
}

/** Of lists in which a star stands alone; whether there is one. */
function validateStar(list: readonly string[], what: string, { path, report }: Place): boolean {
  if (!list.includes('*')) return false;
  if (list.length > 1) report.invalid(path, list, `if '*' is present, must not specify other ${what}`);
  return true;
}

interface Place {
  readonly path: FieldPath;
  readonly report: Report;
}

function validateVerbs(verbs: readonly string[], path: FieldPath, report: Report): void {
  if (verbs.length === 0) return report.required(path, 'verbs must contain at least one value');
  if (validateStar(verbs, 'verbs', { path, report })) return undefined;
  if (!verbs.every((verb) => VERBS.includes(verb))) report.unsupported(path, verbs, VERBS);
  return undefined;
}

function validateResourceRule(rule: ResourcePolicyRule, path: FieldPath, report: Report): void {
  const [groups, resources, namespaces] = [rule.apiGroups ?? [], rule.resources ?? [], rule.namespaces ?? []];
  validateVerbs(rule.verbs ?? [], path.child('verbs'), report);
  const [groupsPath, resourcesPath] = [path.child('apiGroups'), path.child('resources')];
  if (groups.length === 0) report.required(groupsPath, 'resource rules must supply at least one api group');
  else validateStar(groups, 'api groups', { path: groupsPath, report });
  if (resources.length === 0) report.required(resourcesPath, 'resource rules must supply at least one resource');
  else validateStar(resources, 'resources', { path: resourcesPath, report });
  const namespacesPath = path.child('namespaces');
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    const detail = 'resource rules that are not cluster scoped must supply at least one namespace';
    return report.required(namespacesPath, detail);
  }
  if (validateStar(namespaces, 'namespaces', { path: namespacesPath, report })) return undefined;
  for (const [at, namespace] of namespaces.entries()) {
    for (const error of names.dnsLabelErrors(namespace)) {
      const detail = `each member of this list must be '*' or a DNS-1123 label; ${error}`;
      report.invalid(namespacesPath.index(at), namespace, detail);
    }
  }
  return undefined;
}

function validateNonResourceRule(rule: NonResourcePolicyRule, path: FieldPath, report: Report): void {
  validateVerbs(rule.verbs ?? [], path.child('verbs'), report);
  const urls = rule.nonResourceURLs ?? [];
  const urlsPath = path.child('nonResourceURLs');
  if (urls.length === 0) return report.required(urlsPath, 'nonResourceURLs must contain at least one value');
  if (validateStar(urls, 'non-resource URLs', { path: urlsPath, report })) return undefined;
  for (const [at, url] of urls.entries()) validateUrl(url, urlsPath.index(at), report);
  return undefined;
}

function validateUrl(url: string, path: FieldPath, report: Report): void {
  if (url === '') return report.invalid(path, url, 'must not be empty');
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return report.invalid(path, url, 'must start with slash');
  if (url.includes(' ')) return report.invalid(path, url, 'must not contain white-space');
  if (url.includes('//')) return report.invalid(path, url, 'must not contain double slash');
  const star = url.indexOf('*');
  if (star !== -1 && !(star === url.length - 1 && url.endsWith('/*'))) {
    return report.invalid(path, url, 'wildcard can only do suffix matching');
  }
  return undefined;
}
