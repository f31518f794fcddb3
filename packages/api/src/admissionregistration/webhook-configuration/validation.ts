import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../generated/admissionregistration-v1.ts';
import { validateLabelSelector } from '../../validation/labels.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateMatchConditions } from '../match-conditions.ts';
import { validateRule } from '../rule-validation.ts';
import { validateWebhookClient } from '../webhook-client.ts';

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;
type Webhook = MutatingWebhook | ValidatingWebhook;

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const HARMLESS = ['None', 'NoneOnDryRun'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const REINVOCATIONS = ['IfNeeded', 'Never'];
const SECONDS_MAX = 30;

/** What the old configuration had wrong already is let pass in a change. */
interface Leniency {
  readonly sideEffects: boolean;
  readonly versions: boolean;
  readonly names: boolean;
}

const STRICT: Leniency = { sideEffects: false, versions: false, names: false };

/** Of webhooks that change objects and of those that only judge. */
export function validateWebhooks(configuration: Configuration): FieldError[] {
  return validateAll(configuration, STRICT);
}

export function validateWebhooksUpdate(configuration: Configuration, before: Configuration): FieldError[] {
  const old: readonly Webhook[] = before.webhooks ?? [];
  return validateAll(configuration, {
    sideEffects: old.some(({ sideEffects }) => !HARMLESS.includes(sideEffects ?? '')),
    versions: old.some(({ admissionReviewVersions: given }) => (given ?? []).length > 0 && !hasKnown(given)),
    names: new Set(old.map(({ name }) => name)).size < old.length,
  });
}

function validateAll(configuration: Configuration, leniency: Leniency): FieldError[] {
  const report = new Report();
  const seen = new Set<string>();
  const webhooks: readonly Webhook[] = configuration.webhooks ?? [];
  for (const [at, webhook] of webhooks.entries()) {
    const path = fieldPath('webhooks').index(at);
    validateWebhook({ webhook, leniency }, path, report);
    validateVersions(webhook, leniency, { path: path.child('admissionReviewVersions'), report });
    if (leniency.names || !webhook.name) continue;
    if (seen.has(webhook.name)) report.duplicate(path.child('name'), webhook.name);
    seen.add(webhook.name);
  }
  return report.errors;
}

interface Place {
  readonly path: FieldPath;
  readonly report: Report;
}

function validateWebhook(
  { webhook, leniency }: { readonly webhook: Webhook; readonly leniency: Leniency },
  path: FieldPath,
  report: Report,
): void {
  validateName(webhook.name, path.child('name'), report);
  for (const [at, rule] of (webhook.rules ?? []).entries()) validateRule(rule, path.child('rules').index(at), report);
  validateChoice(webhook.failurePolicy, FAILURE_POLICIES, { path: path.child('failurePolicy'), report });
  validateChoice(webhook.matchPolicy, MATCH_POLICIES, { path: path.child('matchPolicy'), report });
  const harm = leniency.sideEffects ? SIDE_EFFECTS : HARMLESS;
  const effects = webhook.sideEffects ?? undefined;
  if (effects === undefined) report.required(path.child('sideEffects'), `must specify one of ${harm.join(', ')}`);
  validateChoice(effects, harm, { path: path.child('sideEffects'), report });
  const seconds = webhook.timeoutSeconds;
  if (seconds !== undefined && (seconds > SECONDS_MAX || seconds < 1)) {
    const detail = `the timeout value must be between 1 and ${SECONDS_MAX} seconds`;
    report.invalid(path.child('timeoutSeconds'), seconds, detail);
  }
  validateLabelSelector(webhook.namespaceSelector, path.child('namespaceSelector'), report);
  validateLabelSelector(webhook.objectSelector, path.child('objectSelector'), report);
  if ('reinvocationPolicy' in webhook) {
    validateChoice(webhook.reinvocationPolicy, REINVOCATIONS, { path: path.child('reinvocationPolicy'), report });
  }
  validateWebhookClient(webhook.clientConfig, path.child('clientConfig'), report);
  validateMatchConditions(webhook.matchConditions, path.child('matchConditions'), report);
}

function validateChoice(value: string | undefined, from: readonly string[], { path, report }: Place): void {
  if (value !== undefined && !from.includes(value)) report.unsupported(path, value, from);
}

/** A domain of at least three parts, so that nobody else has it. */
function validateName(name: string | undefined, path: FieldPath, report: Report): void {
  if (!name) return report.required(path);
  const errors = names.subdomainErrors(name);
  if (errors.length > 0) return report.invalidEach(path, name, errors);
  if (name.split('.', 3).length < 3) {
    report.invalid(path, name, 'should be a domain with at least three segments separated by dots');
  }
  return undefined;
}

function hasKnown(versions: readonly string[] | null | undefined): boolean {
  return (versions ?? []).some((version) => REVIEW_VERSIONS.includes(version));
}

function validateVersions(webhook: Webhook, leniency: Leniency, { path, report }: Place): void {
  const versions = webhook.admissionReviewVersions ?? [];
  const known = REVIEW_VERSIONS.join(', ');
  if (versions.length === 0) return report.required(path, `must specify one of ${known}`);
  const seen = new Set<string>();
  for (const [at, version] of versions.entries()) {
    if (seen.has(version)) report.invalid(path.index(at), version, 'duplicate version');
    else report.invalidEach(path.index(at), version, names.dns1035LabelErrors(version));
    seen.add(version);
  }
  if (!leniency.versions && !hasKnown(versions)) {
    report.invalid(path, versions, `must include at least one of ${known}`);
  }
  return undefined;
}
