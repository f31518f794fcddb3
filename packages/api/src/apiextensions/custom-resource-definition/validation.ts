import { walkInPieces } from '@binnacle/base';
import type { Pieces, Walk } from '@binnacle/base';
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
import { hasDefault } from './schema-parts.ts';
import { validateApproval } from './approval.ts';
import { validateVersions } from './version-validation.ts';

const SPEC = fieldPath('spec');
const SCOPES = ['Cluster', 'Namespaced'];
const STRATEGIES = ['None', 'Webhook'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/**
 * Everything but the schemas' patterns, defaults and rules in CEL, which are checked where custom kinds are served.
 * Piece by piece: a schema may have a hundred thousand places.
 */
export function* definitionFindings(definition: CustomResourceDefinition): Pieces<FieldError[]> {
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
  yield* walkInPieces(validateSpec(definition, undefined, report));
  if (definition.status !== undefined) validateStoredVersions(definition, report);
  validateApproval(definition, undefined, report);
  return report.errors;
}

/** Where objects are kept stays; once the kind is served, so does what it is called. */
export function* definitionUpdateFindings(
  given: CustomResourceDefinition,
  before: CustomResourceDefinition,
): Pieces<FieldError[]> {
  const report = new Report();
  const [now, old] = [given.spec, before.spec];
  yield* walkInPieces(validateSpec(given, before, report));
  if (isConditionTrue(before.status?.conditions ?? [], 'Established')) {
    report.immutable(SPEC.child('scope'), now.scope, now.scope === old.scope);
    report.immutable(SPEC.child('names').child('kind'), now.names?.kind, now.names?.kind === old.names?.kind);
  }
  report.immutable(SPEC.child('group'), now.group, now.group === old.group);
  report.immutable(SPEC.child('names').child('plural'), now.names?.plural, now.names?.plural === old.names?.plural);
  if (given.status !== undefined) validateStoredVersions(given, report);
  validateApproval(given, before, report);
  return report.errors;
}

export function validateDefinitionStatusUpdate(definition: CustomResourceDefinition): FieldError[] {
  const report = new Report();
  const names = definition.status?.acceptedNames;
  if (names !== undefined) validateNameForms(names, fieldPath('status', 'acceptedNames'), report);
  return report.errors;
}

/** Versions that were stored once are in the store until somebody writes all objects anew. */
function validateStoredVersions({ spec, status }: CustomResourceDefinition, report: Report): void {
  const path = fieldPath('status', 'storedVersions');
  const stored = status?.storedVersions ?? [];
  const versions = spec.versions ?? [];
  if (stored.length === 0) {
    return report.invalid(path, null, 'must have at least one stored version');
  }
  const open = new Set(stored);
  for (const { name, storage } of versions) {
    // A name that comes twice is there once.
    const isThere = open.delete(name);
    if (storage && !isThere) report.invalid(path, stored, `must have the storage version ${name}`);
  }
  const known = new Set(versions.map(({ name }) => name));
  for (const [at, name] of stored.entries()) {
    if (known.has(name)) continue;
    const until = `until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions ${until}`;
    report.invalid(path.index(at), name, detail);
  }
  return undefined;
}

function* validateSpec(
  { spec }: CustomResourceDefinition,
  before: CustomResourceDefinition | undefined,
  report: Report,
): Walk {
  const group = SPEC.child('group');
  if (!spec.group) report.required(group);
  else {
    const errors = names.subdomainErrors(spec.group);
    if (errors.length > 0) report.invalid(group, spec.group, errors.join(','));
    else if (!spec.group.includes('.')) report.invalid(group, spec.group, 'should be a domain with at least one dot');
  }
  if (!spec.scope) report.required(SPEC.child('scope'));
  else if (!SCOPES.includes(spec.scope)) report.unsupported(SPEC.child('scope'), spec.scope, SCOPES);
  const versions = spec.versions ?? [];
  yield validateVersions(versions, before?.spec.versions ?? [], report);
  if (spec.preserveUnknownFields === true) {
    const detail =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    report.invalid(SPEC.child('preserveUnknownFields'), true, detail);
  }
  if (spec.preserveUnknownFields === true && versions.some(({ schema }) => hasDefault(schema?.openAPIV3Schema))) {
    report.invalid(SPEC.child('preserveUnknownFields'), true, 'must be false in order to use defaults in the schema');
  }
  validateNames(spec.names ?? {}, SPEC.child('names'), report);
  if (spec.conversion) validateConversion(spec.conversion, SPEC.child('conversion'), report);
}

type Names = Partial<CustomResourceDefinitionNames>;

function validateNames(given: Names, path: FieldPath, report: Report): void {
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if (!given[field]) report.required(path.child(field));
  }
  validateNameForms(given, path, report);
}

function validateNameForms(given: Names, path: FieldPath, report: Report): void {
  for (const field of ['plural', 'singular'] as const) {
    const errors = names.dns1035LabelErrors(given[field] ?? '');
    if (given[field] && errors.length > 0) report.invalid(path.child(field), given[field], errors.join(','));
  }
  for (const field of ['kind', 'listKind'] as const) {
    const errors = names.dns1035LabelErrors((given[field] ?? '').toLowerCase());
    if (!given[field] || errors.length === 0) continue;
    const detail = `may have mixed case, but should otherwise match: ${errors.join(',')}`;
    report.invalid(path.child(field), given[field], detail);
  }
  if (given.kind && given.kind === given.listKind) {
    report.invalid(path.child('listKind'), given.listKind, 'kind and listKind may not be the same');
  }
  for (const field of ['shortNames', 'categories'] as const) {
    for (const [at, name] of (given[field] ?? []).entries()) {
      const errors = names.dns1035LabelErrors(name);
      if (errors.length > 0) report.invalid(path.child(field).index(at), name, errors.join(','));
    }
  }
}

/** Upstream's own kind keeps the parts of `webhook` one level higher, and shows mistakes there. */
function validateConversion(conversion: CustomResourceConversion, path: FieldPath, report: Report): void {
  const { strategy, webhook } = conversion;
  const [clientPath, versionsPath] = [path.child('webhookClientConfig'), path.child('conversionReviewVersions')];
  const versions = webhook?.conversionReviewVersions ?? [];
  if (!strategy) report.required(path.child('strategy'));
  else if (!STRATEGIES.includes(strategy)) report.unsupported(path.child('strategy'), strategy, STRATEGIES);
  if (strategy === 'Webhook') {
    if (webhook?.clientConfig) validateWebhookClient(webhook.clientConfig, clientPath, report);
    else report.required(clientPath, 'required when strategy is set to Webhook');
    return validateReviewVersions(versions, versionsPath, report);
  }
  const why = 'should not be set when strategy is not set to Webhook';
  if (webhook?.clientConfig) report.forbidden(clientPath, why);
  if (versions.length > 0) report.forbidden(versionsPath, why);
  return undefined;
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
