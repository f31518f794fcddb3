import type { RuleWithOperations } from '../generated/admissionregistration-v1.ts';
import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';

const SCOPES = ['*', 'Cluster', 'Namespaced'];
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

/** Which requests a webhook or policy is about. */
export function validateRule(rule: RuleWithOperations, path: FieldPath, report: Report): void {
  validateOperations(rule.operations ?? [], path.child('operations'), report);
  const { apiGroups: groups = [], apiVersions: versions = [], scope } = rule;
  validateStar(groups, 'API groups', { path: path.child('apiGroups'), report });
  validateStar(versions, 'API versions', { path: path.child('apiVersions'), report });
  for (const [at, version] of versions.entries()) {
    if (version === '') report.required(path.child('apiVersions').index(at));
  }
  validateResources(rule.resources ?? [], path.child('resources'), report);
  if (scope !== undefined && !SCOPES.includes(scope)) report.unsupported(path.child('scope'), scope, SCOPES);
}

interface Place {
  readonly path: FieldPath;
  readonly report: Report;
}

/** A list that has something in it, and a star only alone. */
function validateStar(list: readonly string[], what: string, { path, report }: Place): void {
  if (list.length === 0) report.required(path);
  if (list.length > 1 && list.includes('*')) {
    report.invalid(path, list, `if '*' is present, must not specify other ${what}`);
  }
}

function validateOperations(operations: readonly string[], path: FieldPath, report: Report): void {
  validateStar(operations, 'operations', { path, report });
  for (const [at, operation] of operations.entries()) {
    if (!OPERATIONS.includes(operation)) report.unsupported(path.index(at), operation, OPERATIONS);
  }
}

/** `pods`, `pods/log`, `pods/*`, a star for the resource, for the subresource or for both: none may cover another. */
function validateResources(resources: readonly string[], path: FieldPath, report: Report): void {
  if (resources.length === 0) report.required(path);
  const allOf = new Set<string>();
  const anyWith = new Set<string>();
  let hasWhole = false;
  for (const [at, text] of resources.entries()) {
    const here = path.index(at);
    if (text === '') {
      report.required(here);
      continue;
    }
    const slash = text.indexOf('/');
    if (slash === -1) {
      hasWhole = text !== '*';
      continue;
    }
    const [resource, part] = [text.slice(0, slash), text.slice(slash + 1)];
    if (allOf.has(resource)) report.invalid(here, text, `if '${resource}/*' is present, must not specify ${text}`);
    if (anyWith.has(part)) report.invalid(here, text, `if '*/${part}' is present, must not specify ${text}`);
    if (part === '*') allOf.add(resource);
    if (resource === '*') anyWith.add(part);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    report.invalid(path, resources, "if '*/*' is present, must not specify other resources");
  }
  if (resources.includes('*') && hasWhole) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    report.invalid(path, resources, detail);
  }
}
