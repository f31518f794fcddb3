import { deepEqual } from '@binnacle/machinery';
import type { ObjectMeta } from '@binnacle/machinery';
import type { AppArmorProfile, PodSpec } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Warnings } from '../../../validation/warnings.ts';
import { eachContainer } from './containers.ts';

const NON_FUNCTIONAL: readonly (readonly [annotation: string, deprecation: string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const APPARMOR_CONTAINER = 'container.apparmor.security.beta.kubernetes.io/';
const APPARMOR = 'deprecated since v1.30; use the "appArmorProfile" field instead';

interface Annotated {
  readonly metadata?: Pick<ObjectMeta, 'annotations'>;
  readonly spec?: PodSpec;
}

/** Of annotations in whose place there are fields now; `paths` are of metadata and spec. */
export function warnOfAnnotations(
  { metadata, spec }: Annotated,
  paths: { readonly metadata: FieldPath; readonly spec: FieldPath },
  warnings: Warnings,
): void {
  const { annotations } = metadata ?? {};
  if (!annotations || !spec || !hasOldOnes(annotations)) return;
  const told = (key: string, text: string): void => warnings.add(paths.metadata.child('annotations').key(key), text);
  for (const [key, deprecation] of NON_FUNCTIONAL) if (Object.hasOwn(annotations, key)) told(key, deprecation);
  if (!spec.securityContext?.seccompProfile && Object.hasOwn(annotations, SECCOMP_POD)) told(SECCOMP_POD, SECCOMP);
  eachContainer(spec, paths.spec, ({ name, securityContext }) => {
    const seccomp = SECCOMP_CONTAINER + name;
    if (!securityContext?.seccompProfile && Object.hasOwn(annotations, seccomp)) told(seccomp, SECCOMP);
    const appArmor = APPARMOR_CONTAINER + name;
    if (securityContext?.appArmorProfile || !Object.hasOwn(annotations, appArmor)) return;
    const ofPod = spec.securityContext?.appArmorProfile;
    if (ofPod && deepEqual(ofPod, profileOf(annotations[appArmor] ?? ''))) return;
    told(appArmor, APPARMOR);
  });
}

/** All that are told of are of an alpha or a beta: hardly any pod has one. */
function hasOldOnes(annotations: object): boolean {
  for (const key in annotations) if (OLD.test(key)) return true;
  return false;
}

const OLD = /\.(?:alpha|beta)\.kubernetes\.io\//;

/** What the annotation says, as a field. */
function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const local = 'localhost/';
  if (!annotation.startsWith(local)) return undefined;
  return { type: 'Localhost', localhostProfile: annotation.slice(local.length) };
}
