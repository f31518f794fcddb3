import type { ContainerResizePolicy, ContainerRestartRule } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import type { AnyContainer, PodScope } from './scope.ts';

const RESTART_POLICIES = ['Always', 'Never', 'OnFailure'];
const RULE_ACTIONS = ['Restart', 'RestartAllContainers'];
const RULE_OPERATORS = ['In', 'NotIn'];
const RULES_MAX = 20;
const EXIT_CODES_MAX = 255;
const RESIZE_RESOURCES = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];

/** A container's own restart policy, and the rules by which it departs from it. */
export function validateRestartRules(container: AnyContainer, path: FieldPath, report: Report): void {
  const { restartPolicy, restartPolicyRules: rules } = container;
  if (!restartPolicy) {
    if (rules?.length)
      report.required(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used');
  } else if (!RESTART_POLICIES.includes(restartPolicy)) {
    report.unsupported(path.child('restartPolicy'), restartPolicy, RESTART_POLICIES);
  }
  if (!rules) return;
  const rulesPath = path.child('restartPolicyRules');
  if (rules.length > RULES_MAX) report.tooLong(rulesPath, RULES_MAX);
  for (const [at, rule] of rules.entries()) validateRule(rule, rulesPath.index(at), report);
}

function validateRule(rule: ContainerRestartRule, path: FieldPath, report: Report): void {
  const action = rule.action ?? '';
  if (!RULE_ACTIONS.includes(action)) report.unsupported(path.child('action'), action, RULE_ACTIONS);
  const codes = rule.exitCodes;
  if (!codes) return report.required(path.child('exitCodes'), 'must be specified');
  const codesPath = path.child('exitCodes');
  const operator = codes.operator ?? '';
  if (!RULE_OPERATORS.includes(operator)) report.unsupported(codesPath.child('operator'), operator, RULE_OPERATORS);
  if ((codes.values?.length ?? 0) > EXIT_CODES_MAX) report.tooLong(codesPath.child('values'), EXIT_CODES_MAX);
  return undefined;
}

/** What must restart when a container's resources are changed in place. */
export function validateResizePolicy(
  policies: readonly ContainerResizePolicy[],
  path: FieldPath,
  scope: PodScope,
): void {
  const { report } = scope;
  const seen = new Set<string>();
  for (const [at, { resourceName, restartPolicy }] of policies.entries()) {
    if (seen.has(resourceName)) report.duplicate(path.index(at), resourceName);
    seen.add(resourceName);
    requireOneOf(resourceName, RESIZE_RESOURCES, { path, report });
    requireOneOf(restartPolicy, RESIZE_POLICIES, { path, report });
    if (scope.spec.restartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      report.invalid(path, restartPolicy, "must be 'NotRequired' when `restartPolicy` is 'Never'");
    }
  }
}

function requireOneOf(
  value: string,
  supported: readonly string[],
  place: { readonly path: FieldPath; readonly report: Report },
): void {
  if (!value) place.report.required(place.path);
  else if (!supported.includes(value)) place.report.unsupported(place.path, value, supported);
}
