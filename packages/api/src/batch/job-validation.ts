import { matchesLabels, names, selectorFromObject } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import { validatePodTemplateSpec } from '../core/pod/validation.ts';
import type { Job, JobSpec } from '../generated/batch-v1.ts';
import { isSemanticallyEqual } from '../validation/equality.ts';
import { validateLabelSelector } from '../validation/labels.ts';
import { fieldPath } from '../validation/path.ts';
import type { FieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';
import {
  LABEL_JOB_CONTROLLER_UID,
  LABEL_JOB_CONTROLLER_UID_LEGACY,
  LABEL_JOB_NAME,
  LABEL_JOB_NAME_LEGACY,
} from '../wellknown.ts';
import { validateIndexedCounts, validateJobCounts } from './job-counts-validation.ts';
import { validateFailurePolicy, validateSuccessPolicy } from './job-policy-validation.ts';
import { isWaiting, templateForUpdate } from './job-template-update.ts';

const SPEC = fieldPath('spec');
const NAME = fieldPath('metadata', 'name');

/** A new job; its selector is generated already. */
export function validateJob(job: Job): FieldError[] {
  const report = new Report();
  validateGeneratedSelector(job, report);
  validateSpecAndSelector(job.spec, report);
  const { completionMode, completions = 0 } = job.spec;
  if (completionMode !== 'Indexed' || completions <= 0) return report.errors;
  // Pods are called so: one that could not be made is better refused here.
  const name = job.metadata.name ?? '';
  const longest = `${name}-${completions - 1}`;
  if (names.dnsLabelErrors(longest).length === 0) return report.errors;
  report.invalid(NAME, name, `will not able to create pod with invalid DNS label: ${longest}`);
  return report.errors;
}

/** A change of a job. */
export function validateJobUpdate(job: Job, before: Job): FieldError[] {
  const report = new Report();
  const { spec } = job;
  const old = before.spec;
  validateSpecAndSelector(spec, report);
  validateCompletionsUpdate(spec, old, report);
  validateFixed({ spec, old, field: 'selector' }, report);
  validateTemplateUpdate(job, before, report);
  for (const field of FIXED) validateFixed({ spec, old, field }, report);
  return report.errors;
}

/** While what its containers take may change, upstream speaks of the pod's part of the template alone. */
function validateTemplateUpdate(job: Job, before: Job, report: Report): void {
  const { template } = job.spec;
  const wanted = templateForUpdate(job, before);
  const path = SPEC.child('template');
  if (isWaiting(before)) {
    const isSame = isSemanticallyEqual('core.v1.PodSpec', template.spec, wanted.spec);
    report.immutable(path.child('spec'), template.spec, isSame);
  } else report.immutable(path, template, isSemanticallyEqual('core.v1.PodTemplateSpec', template, wanted));
}

const FIXED = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const;

function validateFixed(
  given: { readonly spec: JobSpec; readonly old: JobSpec; readonly field: keyof JobSpec },
  report: Report,
): void {
  const { spec, old, field } = given;
  const isSame = isSemanticallyEqual(`batch.v1.JobSpec.${field}`, spec[field], old[field]);
  report.immutable(SPEC.child(field), spec[field] ?? null, isSame);
}

/** Only jobs with indexes grow and shrink, and then all their pods run at once. */
function validateCompletionsUpdate(spec: JobSpec, old: JobSpec, report: Report): void {
  if (spec.completions === old.completions) return;
  const path = SPEC.child('completions');
  if (spec.completionMode !== 'Indexed') return report.immutable(path, spec.completions ?? null, false);
  if (spec.completions === undefined || spec.completions === spec.parallelism) return undefined;
  return report.invalid(path, spec.completions, 'can only be modified in tandem with spec.parallelism');
}

/** Whether the selector and the labels that were to be generated are there, whatever the template had before. */
function validateGeneratedSelector(job: Job, report: Report): void {
  const { metadata, spec } = job;
  if (spec.manualSelector === true || !spec.selector) return;
  const { uid = '', name = '' } = metadata;
  if (uid === '') report.required(fieldPath('metadata', 'uid'));
  const expected: { [label: string]: string } = {
    [LABEL_JOB_CONTROLLER_UID_LEGACY]: uid,
    [LABEL_JOB_NAME_LEGACY]: name,
    [LABEL_JOB_CONTROLLER_UID]: uid,
    [LABEL_JOB_NAME]: name,
  };
  const labels = spec.template.metadata?.labels ?? {};
  const path = SPEC.child('template').child('metadata').child('labels');
  for (const [label, value] of Object.entries(expected)) {
    if (labels[label] === undefined) report.required(path.key(label), `must be '${value}'`);
    else if (labels[label] !== value) report.invalid(path.key(label), labels, `must be '${value}'`);
  }
  const before = report.count;
  validateLabelSelector(spec.selector, SPEC.child('selector'), report);
  // Told once, by the check of the spec.
  if (report.count > before) report.forgetAfter(before);
  else if (!matchesLabels(selectorFromObject(spec.selector), expected)) {
    report.invalid(SPEC.child('selector'), spec.selector, '`selector` not auto-generated');
  }
}

function validateSpecAndSelector(spec: JobSpec, report: Report): void {
  validateJobSpec(spec, SPEC, report);
  if (!spec.selector) return report.required(SPEC.child('selector'));
  const before = report.count;
  validateLabelSelector(spec.selector, SPEC.child('selector'), report);
  const labels = spec.template.metadata?.labels;
  if (report.count > before || matchesLabels(selectorFromObject(spec.selector), labels)) return undefined;
  const path = SPEC.child('template').child('metadata').child('labels');
  return report.invalid(path, labels ?? null, '`selector` does not match template `labels`');
}

/** The spec of a job or of the template of one, its selector apart. */
export function validateJobSpec(spec: JobSpec, path: FieldPath, report: Report): void {
  validateJobCounts(spec, path, report);
  validateIndexedCounts(spec, path, report);
  if (spec.podFailurePolicy) validateFailurePolicy(spec, path.child('podFailurePolicy'), report);
  if (spec.successPolicy) {
    const here = path.child('successPolicy');
    if (spec.completionMode === 'Indexed') validateSuccessPolicy(spec, here, report);
    else report.invalid(here, spec.successPolicy, 'requires indexed completion mode');
  }
  validateReplacementPolicy(spec, path.child('podReplacementPolicy'), report);
  validatePodTemplateSpec(spec.template, path.child('template'), report);
  validateRestartPolicy(spec, path.child('template').child('spec').child('restartPolicy'), report);
}

/** Whether a failed pod counts is not known before it has ended. */
function validateReplacementPolicy(spec: JobSpec, path: FieldPath, report: Report): void {
  const policy = spec.podReplacementPolicy;
  if (policy === undefined) return;
  const supported = spec.podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  if (!supported.includes(policy)) report.unsupported(path, policy, supported);
}

function validateRestartPolicy(spec: JobSpec, path: FieldPath, report: Report): void {
  const policy = spec.template.spec?.restartPolicy;
  if (!policy || policy === 'Always') report.required(path, 'valid values: "OnFailure", "Never"');
  else if (policy !== 'OnFailure' && policy !== 'Never') report.unsupported(path, policy, ['OnFailure', 'Never']);
  else if (spec.podFailurePolicy && policy !== 'Never') {
    report.invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified');
  }
}
