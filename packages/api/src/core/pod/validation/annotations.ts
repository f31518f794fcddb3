import { memberOf } from '@binnacle/machinery';
import type { PodSpec } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import { ANNOTATION_MIRROR, ANNOTATION_POD_DELETION_COST } from '../../../wellknown.ts';
import { validateDescendingPath } from './paths.ts';

type Annotations = { readonly [key: string]: string } | undefined;

const APPARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_PREFIX = 'container.seccomp.security.alpha.kubernetes.io/';
const INT32_MAX = 2_147_483_647;

/** Annotations with a meaning for pods, of a pod or a template. */
export function validatePodAnnotations(
  given: { readonly annotations: Annotations; readonly spec: PodSpec },
  path: FieldPath,
  report: Report,
): void {
  const { annotations, spec } = given;
  for (const key in annotations) {
    const value = annotations[key] ?? '';
    if (key === ANNOTATION_MIRROR && !spec.nodeName) {
      report.invalid(path.key(key), value, 'must set spec.nodeName if mirror pod annotation is set');
    } else if (key === ANNOTATION_POD_DELETION_COST && !isInt32(value)) {
      report.invalid(path.key(key), value, 'must be a 32bit integer');
    } else if (key === SECCOMP_POD || key.startsWith(SECCOMP_PREFIX)) {
      validateSeccompProfile(value, path.child(key), report);
    } else if (key.startsWith(APPARMOR_PREFIX)) {
      validateAppArmor({ container: key.slice(APPARMOR_PREFIX.length), value, spec }, path.key(key), report);
    }
  }
}

/** Annotations that stay as they were once the pod is made. */
export function validateAnnotationUpdate(
  given: { readonly after: Annotations; readonly before: Annotations },
  path: FieldPath,
  report: Report,
): void {
  const { after = {}, before = {} } = given;
  for (const key in before) {
    if (memberOf(after, key) === memberOf(before, key)) continue;
    if (key.startsWith(APPARMOR_PREFIX)) {
      report.forbidden(path.key(key), 'may not remove or update AppArmor annotations');
    }
    if (key === ANNOTATION_MIRROR) report.forbidden(path.key(key), 'may not remove or update mirror pod annotation');
  }
  for (const key in after) {
    if (Object.hasOwn(before, key)) continue;
    if (key.startsWith(APPARMOR_PREFIX)) report.forbidden(path.key(key), 'may not add AppArmor annotations');
    if (key === ANNOTATION_MIRROR) report.forbidden(path.key(key), 'may not add mirror pod annotation');
  }
}

/** In the one form that upstream takes: no plus sign, no leading zeroes. */
function isInt32(text: string): boolean {
  return /^(0|-?[1-9][0-9]{0,9})$/.test(text) && Number(text) <= INT32_MAX && Number(text) >= -INT32_MAX - 1;
}

function validateSeccompProfile(profile: string, path: FieldPath, report: Report): void {
  if (profile === 'runtime/default' || profile === 'docker/default' || profile === 'unconfined') return;
  if (profile.startsWith('localhost/')) validateDescendingPath(profile.slice('localhost/'.length), path, report);
  else report.invalid(path, profile, 'must be a valid seccomp profile');
}

interface AppArmorAnnotation {
  readonly container: string;
  readonly value: string;
  readonly spec: PodSpec;
}

function validateAppArmor(given: AppArmorAnnotation, path: FieldPath, report: Report): void {
  const { spec, container, value } = given;
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
  if (!all.some((one) => one.name === container)) report.invalid(path, container, 'container not found');
  if (value === '' || value === 'runtime/default' || value === 'unconfined' || value.startsWith('localhost/')) return;
  report.invalid(path, value, `invalid AppArmor profile name: ${JSON.stringify(value)}`);
}
