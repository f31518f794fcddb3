import { names, parseGroupVersion } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type {
  AuditAnnotation,
  MatchResources,
  Mutation,
  MutatingAdmissionPolicy,
  NamedRuleWithOperations,
  ParamKind,
  ValidatingAdmissionPolicy,
  Validation,
} from '../../generated/admissionregistration-v1.ts';
import { validateLabelSelector } from '../../validation/labels.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateMatchConditions } from '../match-conditions.ts';
import { validateRule } from '../rule-validation.ts';

const SPEC = fieldPath('spec');
const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const REINVOCATIONS = ['IfNeeded', 'Never'];
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const PATCH_TYPES = ['ApplyConfiguration', 'JSONPatch'];
const CHANGING_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];
const ANNOTATIONS_MAX = 20;
const ONE_OF_BOTH = 'validations or auditAnnotations must contain at least one item';

type Policy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;

/** Everything but the expressions themselves, which are compiled where CEL is. */
export function validateValidatingPolicy(policy: ValidatingAdmissionPolicy): FieldError[] {
  const report = new Report();
  validateCommon(policy, report);
  const { validations = [], auditAnnotations = [] } = policy.spec ?? {};
  if (validations.length === 0 && auditAnnotations.length === 0) {
    report.required(SPEC.child('validations'), ONE_OF_BOTH);
    report.required(SPEC.child('auditAnnotations'), ONE_OF_BOTH);
  }
  for (const [at, validation] of validations.entries()) {
    validateValidation(validation, SPEC.child('validations').index(at), report);
  }
  validateAnnotations(policy, SPEC.child('auditAnnotations'), report);
  return report.errors;
}

function validateValidation(validation: Validation, path: FieldPath, report: Report): void {
  const { expression, message = '', messageExpression = '', reason } = validation;
  if (!expression?.trim()) report.required(path.child('expression'), 'expression is not specified');
  if (messageExpression !== '' && messageExpression.trim() === '') {
    report.invalid(path.child('messageExpression'), messageExpression, 'must be non-empty if specified');
  }
  if (message !== '' && message.trim() === '') {
    report.invalid(path.child('message'), message, 'must be non-empty if specified');
  } else if (/[\n\r]/.test(message.trim())) {
    report.invalid(path.child('message'), message, 'must not contain line breaks');
  }
  if (reason !== undefined && !REASONS.includes(reason)) report.unsupported(path.child('reason'), reason, REASONS);
}

export function validateMutatingPolicy(policy: MutatingAdmissionPolicy): FieldError[] {
  const report = new Report();
  validateCommon(policy, report);
  validateOperations(policy, SPEC.child('matchConstraints').child('resourceRules').child('operations'), report);
  const { mutations = [], reinvocationPolicy: again } = policy.spec ?? {};
  if (mutations.length === 0) report.required(SPEC.child('mutations'), 'mutations must contain at least one item');
  if (!again) report.required(SPEC.child('reinvocationPolicy'));
  else if (!REINVOCATIONS.includes(again)) report.unsupported(SPEC.child('reinvocationPolicy'), again, REINVOCATIONS);
  for (const [at, mutation] of mutations.entries()) {
    validateMutation(mutation, SPEC.child('mutations').index(at), report);
  }
  return report.errors;
}

/** What goes away is changed by nobody. */
function validateOperations({ spec }: MutatingAdmissionPolicy, path: FieldPath, report: Report): void {
  const operations = (spec?.matchConstraints?.resourceRules ?? []).flatMap((rule) => rule.operations ?? []);
  if (operations.includes('DELETE')) report.unsupported(path, 'DELETE', CHANGING_OPERATIONS);
}

/** One of two sorts of change, as the type says. */
function validateMutation(mutation: Mutation, path: FieldPath, report: Report): void {
  const { patchType } = mutation;
  if (!patchType) return report.required(path.child('patchType'));
  if (!PATCH_TYPES.includes(patchType)) return report.unsupported(path.child('patchType'), patchType, PATCH_TYPES);
  const [own, other] =
    patchType === 'JSONPatch'
      ? (['jsonPatch', 'applyConfiguration'] as const)
      : (['applyConfiguration', 'jsonPatch'] as const);
  const given = mutation[own];
  if (given === undefined) report.required(path.child(own), `must be specified when patchType is ${patchType}`);
  else if (!given.expression?.trim()) report.required(path.child(own).child('expression'));
  if (mutation[other] === undefined) return undefined;
  return report.invalid(path.child(other), `{${other}}`, `must not be specified when patchType is ${patchType}`);
}

function validateCommon({ spec = {} }: { readonly spec?: Policy['spec'] }, report: Report): void {
  const { failurePolicy, paramKind, matchConstraints } = spec;
  if (failurePolicy === undefined) report.required(SPEC.child('failurePolicy'));
  else if (!FAILURE_POLICIES.includes(failurePolicy)) {
    report.unsupported(SPEC.child('failurePolicy'), failurePolicy, FAILURE_POLICIES);
  }
  if (paramKind) validateParamKind(paramKind, SPEC.child('paramKind'), report);
  const path = SPEC.child('matchConstraints');
  if (!matchConstraints) report.required(path);
  else {
    validateMatchResources(matchConstraints, path, report);
    // Without one nothing says what type the expressions are about.
    if (!matchConstraints.resourceRules?.length) report.required(path.child('resourceRules'));
  }
  validateMatchConditions(spec.matchConditions, SPEC.child('matchConditions'), report);
  for (const [at, { name, expression }] of (spec.variables ?? []).entries()) {
    const here = SPEC.child('variables').index(at);
    if (!name) report.required(here.child('name'), 'name is not specified');
    else if (names.cIdentifierErrors(name).length > 0)
      report.invalid(here.child('name'), name, 'must be a valid CEL identifier');
    if (!expression?.trim()) report.required(here.child('expression'), 'expression is not specified');
  }
}

function validateParamKind({ apiVersion = '', kind = '' }: ParamKind, path: FieldPath, report: Report): void {
  const versionPath = path.child('apiVersion');
  if (apiVersion === '') report.required(versionPath);
  else if (apiVersion.split('/', 3).length > 2) {
    report.invalid(versionPath, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  } else {
    const { group, version } = parseGroupVersion(apiVersion);
    const groupErrors = group === '' ? [] : names.subdomainErrors(group);
    if (groupErrors.length > 0) report.invalid(versionPath, group, groupErrors.join(','));
    const versionErrors = version === '' ? [] : names.dns1035LabelErrors(version);
    if (version === '') report.invalid(versionPath, apiVersion, 'version must be specified');
    if (versionErrors.length > 0) report.invalid(versionPath, version, versionErrors.join(','));
  }
  if (kind === '') return report.required(path.child('kind'));
  const errors = names.dns1035LabelErrors(kind.toLowerCase());
  if (errors.length === 0) return undefined;
  return report.invalid(
    path.child('kind'),
    kind,
    `may have mixed case, but should otherwise match: ${errors.join(',')}`,
  );
}

/** Which requests a policy or its binding is about. */
export function validateMatchResources(match: MatchResources, path: FieldPath, report: Report): void {
  const { matchPolicy, namespaceSelector, objectSelector } = match;
  if (matchPolicy === undefined) report.required(path.child('matchPolicy'));
  else if (!MATCH_POLICIES.includes(matchPolicy))
    report.unsupported(path.child('matchPolicy'), matchPolicy, MATCH_POLICIES);
  if (namespaceSelector === undefined) report.required(path.child('namespaceSelector'));
  else validateLabelSelector(namespaceSelector, path.child('namespaceSelector'), report);
  if (objectSelector === undefined) report.required(path.child('objectSelector'));
  else validateLabelSelector(objectSelector, path.child('objectSelector'), report);
  for (const field of ['resourceRules', 'excludeResourceRules'] as const) {
    for (const [at, rule] of (match[field] ?? []).entries())
      validateNamedRule(rule, path.child(field).index(at), report);
  }
}

function validateNamedRule(rule: NamedRuleWithOperations, path: FieldPath, report: Report): void {
  validateRule(rule, path, report);
  const seen = new Set<string>();
  for (const [at, name] of (rule.resourceNames ?? []).entries()) {
    const here = path.child('resourceNames').index(at);
    report.invalidEach(here, name, names.pathSegmentErrors(name));
    if (seen.has(name)) report.duplicate(here, name);
    seen.add(name);
  }
}

/** Keys stand in the audit log behind the policy's name. */
function validateAnnotations({ metadata, spec }: ValidatingAdmissionPolicy, path: FieldPath, report: Report): void {
  const annotations: readonly AuditAnnotation[] = spec?.auditAnnotations ?? [];
  if (annotations.length > ANNOTATIONS_MAX) {
    report.invalid(path, annotations, `must not have more than ${ANNOTATIONS_MAX} auditAnnotations`);
  }
  const seen = new Set<string>();
  for (const [at, { key, valueExpression }] of annotations.entries()) {
    const here = path.index(at);
    const whole = `${metadata.name ?? ''}/${key ?? ''}`;
    report.invalidEach(here.child('key'), whole, names.qualifiedNameErrors(whole));
    if (!valueExpression?.trim()) report.required(here.child('valueExpression'), 'valueExpression is not specified');
    if (seen.has(key)) report.duplicate(here.child('key'), key);
    seen.add(key);
  }
}
