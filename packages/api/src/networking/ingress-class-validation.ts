import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { IngressClass, IngressClassParametersReference } from '../generated/networking-v1.ts';
import { validateDomainPath } from '../validation/domain-path.ts';
import { fieldPath } from '../validation/path.ts';
import type { FieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';
import { validateTypedReference } from './reference-validation.ts';

const CONTROLLER = fieldPath('spec', 'controller');
const PARAMETERS = fieldPath('spec', 'parameters');
const CONTROLLER_MAX = 250;
const SCOPES = ['Cluster', 'Namespace'];

export function validateIngressClass(given: IngressClass): FieldError[] {
  const report = new Report();
  validateSpec(given, report);
  return report.errors;
}

/** A class stays with its controller. */
export function validateIngressClassUpdate(given: IngressClass, before: IngressClass): FieldError[] {
  const report = new Report();
  const { controller = '' } = given.spec;
  report.immutable(CONTROLLER, controller, controller === (before.spec.controller ?? ''));
  validateSpec(given, report);
  return report.errors;
}

function validateSpec({ spec }: IngressClass, report: Report): void {
  const { controller = '', parameters } = spec;
  if (names.byteLength(controller) > CONTROLLER_MAX) report.tooLong(CONTROLLER, CONTROLLER_MAX);
  validateDomainPath(controller, CONTROLLER, report);
  if (parameters) validateParameters(parameters, PARAMETERS, report);
}

function validateParameters(given: IngressClassParametersReference, path: FieldPath, report: Report): void {
  const { scope, namespace } = given;
  const here = path.child('namespace');
  validateTypedReference(given, path, report);
  if (scope === undefined) return report.required(path.child('scope'));
  if (!SCOPES.includes(scope)) return report.unsupported(path.child('scope'), scope, SCOPES);
  if (scope === 'Cluster') {
    return namespace === undefined ? undefined : report.forbidden(here, "`parameters.scope` is set to 'Cluster'");
  }
  if (namespace === undefined) return report.required(here, "`parameters.scope` is set to 'Namespace'");
  return report.invalidEach(here, namespace, names.dnsLabelErrors(namespace));
}
