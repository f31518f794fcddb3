import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import { validateWebhookClient } from '../../admissionregistration/webhook-client.ts';
import { isConditionTrue } from '../../condition.ts';
import type {
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
} from '../../generated/apiextensions-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateVersions } from './version-validation.ts';

const SPEC = fieldPath('spec');
const SCOPES = ['Cluster', 'Namespaced'];
const STRATEGIES = ['None', 'Webhook'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/** Everything but the schemas' own rules in CEL and their defaults, which are checked where custom kinds are served. */
export function validateDefinition(definition: CustomResourceDefinition): FieldError[] {
  const report = new Report();
  const { spec } = definition;
  const wanted = `${spec.names?.plural ?? ''}.${spec.group}`;
  if (definition.metadata.name !== wanted) {
    report.invalid(
      fieldPath('metadata', 'name'),
      definition.metadata.name ?? '',
      'must be spec.names.plural+"."+spec.group',
    );
  }
  validateSpec(definition, report);
  return report.errors;
}

/** Where objects are kept stays; once the kind is served, so does what it is called. */
export function validateDefinitionUpdate(
  given: CustomResourceDefinition,
  before: CustomResourceDefinition,
): FieldError[] {
  const report = new Report();
  const [now, old] = [given.spec, before.spec];
  validateSpec(given, report);
  if (isConditionTrue(before.status?.conditions ?? [], 'Established')) {
    report.immutable(SPEC.child('scope'), now.scope, now.scope === old.scope);
    report.immutable(SPEC.child('names').child('kind'), now.names?.kind, now.names?.kind === old.names?.kind);
  }
  report.immutable(SPEC.child('group'), now.group, now.group === old.group);
  report.immutable(SPEC.child('names').child('plural'), now.names?.plural, now.names?.plural === old.names?.plural);
  return report.errors;
}

export function validateDefinitionStatusUpdate({ spec, status }: CustomResourceDefinition): FieldError[] {
  const report = new Report();
  const path = fieldPath('status', 'storedVersions');
  const stored = status?.storedVersions ?? [];
  const known = new Set((spec.versions ?? []).map(({ name }) => name));
  for (const [at, version] of stored.entries()) {
    if (!known.has(version)) report.invalid(path.index(at), version, 'must appear in spec.versions');
  }
  const storage = (spec.versions ?? []).find((version) => version.storage)?.name;
  if (storage !== undefined && !stored.includes(storage)) {
    report.invalid(path, stored, `must have the storage version ${storage}`);
  }
  return report.errors;
}

function validateSpec({ spec }: CustomResourceDefinition, report: Report): void {
  const group = SPEC.child('group');
  if (!spec.group) report.required(group);
  else {
    report.invalidEach(group, spec.group, names.subdomainErrors(spec.group));
    if (!spec.group.includes('.')) report.invalid(group, spec.group, 'should be a domain with at least one dot');
  }
  if (!spec.scope) report.required(SPEC.child('scope'));
  else if (!SCOPES.includes(spec.scope)) report.unsupported(SPEC.child('scope'), spec.scope, SCOPES);
  validateVersions(spec.versions ?? [], SPEC.child('versions'), report);
  if (spec.preserveUnknownFields === true) {
    const detail =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    report.invalid(SPEC.child('preserveUnknownFields'), true, detail);
  }
  validateNames(spec.names ?? {}, SPEC.child('names'), report);
  if (spec.conversion) validateConversion(spec.conversion, SPEC.child('conversion'), report);
}

function validateNames(given: Partial<CustomResourceDefinitionNames>, path: FieldPath, report: Report): void {
  for (const field of ['plural', 'singular'] as const) {
    const name = given[field];
    if (!name) report.required(path.child(field));
    else report.invalidEach(path.child(field), name, names.dns1035LabelErrors(name));
  }
  for (const field of ['kind', 'listKind'] as const) {
    const name = given[field];
    if (!name) {
      report.required(path.child(field));
      continue;
    }
    const errors = names.dns1035LabelErrors(name.toLowerCase());
    if (errors.length === 0) continue;
    report.invalid(path.child(field), name, `may have mixed case, but should otherwise match: ${errors.join(',')}`);
  }
  if (given.kind && given.kind === given.listKind) {
    report.invalid(path.child('listKind'), given.listKind, 'kind and listKind may not be the same');
  }
  for (const field of ['shortNames', 'categories'] as const) {
    for (const [at, name] of (given[field] ?? []).entries()) {
      report.invalidEach(path.child(field).index(at), name, names.dns1035LabelErrors(name));
    }
  }
}

function validateConversion(conversion: CustomResourceConversion, path: FieldPath, report: Report): void {
  const { strategy, webhook } = conversion;
  if (!strategy) report.required(path.child('strategy'));
  else if (!STRATEGIES.includes(strategy)) report.unsupported(path.child('strategy'), strategy, STRATEGIES);
  if (strategy !== 'Webhook') {
    if (webhook) report.forbidden(path.child('webhook'), 'should not be set when strategy is not set to Webhook');
    return;
  }
  const hookPath = path.child('webhook');
  if (!webhook?.clientConfig)
    report.required(hookPath.child('clientConfig'), 'required when strategy is set to Webhook');
  else validateWebhookClient(webhook.clientConfig, hookPath.child('clientConfig'), report);
  validateReviewVersions(webhook?.conversionReviewVersions ?? [], hookPath.child('conversionReviewVersions'), report);
}

function validateReviewVersions(versions: readonly string[], path: FieldPath, report: Report): void {
  if (versions.length === 0) return report.required(path);
  const seen = new Set<string>();
  for (const [at, version] of versions.entries()) {
    if (seen.has(version)) report.invalid(path.index(at), version, 'duplicate version');
    else report.invalidEach(path.index(at), version, names.dns1035LabelErrors(version));
    seen.add(version);
  }
  if (!versions.some((version) => REVIEW_VERSIONS.includes(version))) {
    report.invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`);
  }
  return undefined;
}
