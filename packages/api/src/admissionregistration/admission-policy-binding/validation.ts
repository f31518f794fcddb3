import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type {
  MutatingAdmissionPolicyBinding,
  ParamRef,
  ValidatingAdmissionPolicyBinding,
} from '../../generated/admissionregistration-v1.ts';
import { validateLabelSelector } from '../../validation/labels.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateMatchResources } from '../admission-policy/validation.ts';

const SPEC = fieldPath('spec');
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const NOT_FOUND_ACTIONS = ['Deny', 'Allow'];

export function validateValidatingBinding({ spec }: ValidatingAdmissionPolicyBinding): FieldError[] {
  const report = new Report();
  validateCommon(spec ?? {}, report);
  validateActions(spec?.validationActions ?? [], SPEC.child('validationActions'), report);
  return report.errors;
}

export function validateMutatingBinding({ spec }: MutatingAdmissionPolicyBinding): FieldError[] {
  const report = new Report();
  validateCommon(spec ?? {}, report);
  return report.errors;
}

function validateCommon(spec: NonNullable<MutatingAdmissionPolicyBinding['spec']>, report: Report): void {
  const { policyName = '', paramRef, matchResources } = spec;
  const path = SPEC.child('policyName');
  if (policyName === '') report.required(path);
  else report.invalidEach(path, policyName, names.subdomainErrors(policyName));
  if (paramRef) validateParamRef(paramRef, SPEC.child('paramRef'), report);
  // Upstream's spelling of the path.
  if (matchResources) validateMatchResources(matchResources, SPEC.child('matchResources'), report);
}

function validateParamRef(reference: ParamRef, path: FieldPath, report: Report): void {
  const { name, selector, parameterNotFoundAction: action } = reference;
  if (name) {
    report.invalidEach(path.child('name'), name, names.pathSegmentErrors(name));
    if (selector) report.forbidden(path.child('name'), 'name and selector are mutually exclusive');
  }
  if (selector) {
    validateLabelSelector(selector, path.child('selector'), report);
    if (name) report.forbidden(path.child('selector'), 'name and selector are mutually exclusive');
  }
  if (!name && !selector) report.required(path, 'one of name or selector must be specified');
  const actionPath = path.child('parameterNotFoundAction');
  if (!action) report.required(actionPath);
  else if (!NOT_FOUND_ACTIONS.includes(action)) report.unsupported(actionPath, action, NOT_FOUND_ACTIONS);
}

function validateActions(actions: readonly string[], path: FieldPath, report: Report): void {
  const seen = new Set<string>();
  for (const [at, action] of actions.entries()) {
    if (!ACTIONS.includes(action)) report.unsupported(path.index(at), action, ACTIONS);
    if (seen.has(action)) report.duplicate(path.index(at), action);
    seen.add(action);
  }
  if (seen.has('Deny') && seen.has('Warn')) {
    const detail =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
    report.invalid(path, actions, detail);
  }
  if (actions.length === 0) report.required(path, 'at least one validation action is required');
}
