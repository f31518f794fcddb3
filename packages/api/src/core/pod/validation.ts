import type { FieldError } from '@binnacle/machinery';
import type { Binding, Pod, PodTemplate, PodTemplateSpec } from '../../generated/core-v1.ts';
import { isSemanticallyEqual, describeDifference } from '../../validation/equality.ts';
import { validateAnnotations, validateLabels } from '../../validation/labels.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { isMirrorPod } from './questions.ts';
import { validateAnnotationUpdate, validatePodAnnotations } from './validation/annotations.ts';
import { validateImageSpaces } from './validation/containers.ts';
import { validateResize } from './validation/resize.ts';
import { validatePodSpec } from './validation/spec.ts';
import { validatePodStatus } from './validation/status.ts';
import { validateSpecUpdate } from './validation/update.ts';

const SPEC = fieldPath('spec');
const ANNOTATIONS = fieldPath('metadata', 'annotations');

/** A new pod. */
export function validatePod(pod: Pod): FieldError[] {
  const report = new Report();
  validatePodItself(pod, report);
  if (pod.spec.ephemeralContainers?.length) {
    report.forbidden(SPEC.child('ephemeralContainers'), 'cannot be set on create');
  }
  if (pod.spec.nodeName && pod.spec.schedulingGates?.length) {
    report.forbidden(SPEC.child('nodeName'), 'cannot be set until all schedulingGates have been cleared');
  }
  return report.errors;
}

/** A change of a pod, its status apart. */
export function validatePodUpdate(pod: Pod, before: Pod): FieldError[] {
  const report = new Report();
  validatePodItself(pod, report);
  validateAnnotationChange(pod, before, report);
  validateSpecUpdate(pod, before, report);
  return report.errors;
}

/** A change of a pod's status. */
export function validatePodStatusUpdate(pod: Pod, before: Pod): FieldError[] {
  const report = new Report();
  validateAnnotationChange(pod, before, report);
  validatePodStatus(pod, before, report);
  return report.errors;
}

/** A change by the subresource `ephemeralcontainers`: they may be added, never changed or taken away. */
export function validateEphemeralContainersUpdate(pod: Pod, before: Pod): FieldError[] {
  const report = new Report();
  if (isMirrorPod(before)) {
    report.forbidden(fieldPath('[]'), 'static pods do not support ephemeral containers');
    return report.errors;
  }
  validatePodItself(pod, report);
  validateAnnotationChange(pod, before, report);
  const path = SPEC.child('ephemeralContainers');
  for (const old of before.spec.ephemeralContainers ?? []) {
    const name = JSON.stringify(old.name);
    const now = pod.spec.ephemeralContainers?.find((container) => container.name === old.name);
    if (!now) report.forbidden(path, `existing ephemeral containers ${name} may not be removed\n`);
    else if (!isSemanticallyEqual('core.v1.EphemeralContainer', now, old)) {
      const difference = describeDifference('core.v1.EphemeralContainer', old, now);
      report.forbidden(path, `existing ephemeral containers ${name} may not be changed\n${difference}`);
    }
  }
  return report.errors;
}

/** A change by the subresource `resize`. */
export function validatePodResize(pod: Pod, before: Pod): FieldError[] {
  const report = new Report();
  if (isMirrorPod(before)) {
    report.forbidden(fieldPath('[]'), 'static pods cannot be resized');
    return report.errors;
  }
  if (before.spec.os?.name === 'windows') {
    report.forbidden(fieldPath('[]'), 'windows pods cannot be resized');
    return report.errors;
  }
  validatePodItself(pod, report);
  validateResize(pod, before, report);
  return report.errors;
}

/** A binding of a pod to a node, as the scheduler posts it. */
export function validateBinding(binding: Binding): FieldError[] {
  const report = new Report();
  const path = fieldPath('target');
  const { kind, name } = binding.target ?? {};
  if (kind && kind !== 'Node') report.unsupported(path.child('kind'), kind, ['Node', '<empty>']);
  if (!name) report.required(path.child('name'));
  return report.errors;
}

/** The template that workloads make pods from. */
export function validatePodTemplateSpec(template: PodTemplateSpec, path: FieldPath, report: Report): void {
  const { labels, annotations } = template.metadata ?? {};
  validateLabels(labels, path.child('labels'), report);
  validateAnnotations(annotations, path.child('annotations'), report);
  const spec = template.spec ?? { containers: [] };
  validatePodAnnotations({ annotations, spec }, path.child('annotations'), report);
  validatePodSpec({ spec }, path.child('spec'), report);
  if (spec.ephemeralContainers?.length) {
    const detail = 'ephemeral containers not allowed in pod template';
    report.forbidden(path.child('spec').child('ephemeralContainers'), detail);
  }
}

/** A template that is an object of its own; new or changed. */
export function validatePodTemplate({ template }: PodTemplate): FieldError[] {
  const report = new Report();
  validatePodTemplateSpec(template ?? { metadata: {}, spec: { containers: [] } }, fieldPath('template'), report);
  return report.errors;
}

function validatePodItself(pod: Pod, report: Report): void {
  const { metadata, spec } = pod;
  validatePodAnnotations({ annotations: metadata.annotations, spec }, ANNOTATIONS, report);
  validatePodSpec({ spec, metadata }, SPEC, report);
  if (!spec.serviceAccountName) forbidTokens(pod, report);
  for (const list of ['containers', 'initContainers'] as const) {
    const containers = spec[list] ?? [];
    for (let at = 0; at < containers.length; at++) {
      const container = containers[at];
      if (container && hasOuterSpace(container.image))
        validateImageSpaces(container, SPEC.child(list).index(at), report);
    }
  }
}

function hasOuterSpace(image: string | undefined): boolean {
  return image !== undefined && image.trim() !== image;
}

/** A token belongs to a service account. */
function forbidTokens(pod: Pod, report: Report): void {
  for (const [at, volume] of (pod.spec.volumes ?? []).entries()) {
    for (const [sourceAt, source] of (volume.projected?.sources ?? []).entries()) {
      if (!source.serviceAccountToken) continue;
      const path = SPEC.child('volumes').index(at).child('projected').child('sources').index(sourceAt);
      report.forbidden(path.child('serviceAccountToken'), 'must not be specified when serviceAccountName is not set');
    }
  }
}

function validateAnnotationChange(pod: Pod, before: Pod, report: Report): void {
  const after = pod.metadata.annotations;
  validateAnnotationUpdate({ after, before: before.metadata.annotations }, ANNOTATIONS, report);
}
