import type {
  AppArmorProfile,
  PodSecurityContext,
  SeccompProfile,
  SecurityContext,
  Sysctl,
} from '../../../generated/core-v1.ts';
import { idErrors } from '../../../validation/numbers.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import { validateDescendingPath } from './paths.ts';
import type { PodScope } from './scope.ts';
import { usesHostUsers } from './scope.ts';
import { validateWindowsOptions } from './windows.ts';

const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const APPARMOR_PATH_BYTES_MAX = 4095;

/** Of one container. */
export function validateSecurityContext(context: SecurityContext, path: FieldPath, scope: PodScope): void {
  const { report } = scope;
  validateId(context.runAsUser, path.child('runAsUser'), report);
  validateId(context.runAsGroup, path.child('runAsGroup'), report);
  if (context.procMount) validateProcMount(context.procMount, path.child('procMount'), scope);
  if (context.seccompProfile) validateSeccomp(context.seccompProfile, path.child('seccompProfile'), report);
  if (context.allowPrivilegeEscalation === false) validateEscalation(context, path, report);
  if (context.windowsOptions) validateWindowsOptions(context.windowsOptions, path.child('windowsOptions'), report);
  if (context.appArmorProfile) validateAppArmor(context.appArmorProfile, path.child('appArmorProfile'), report);
}

/** Of the pod as a whole. */
export function validatePodSecurityContext(path: FieldPath, scope: PodScope): void {
  const context = scope.spec.securityContext;
  if (!context) return;
  const { report } = scope;
  validateId(context.fsGroup, path.child('fsGroup'), report);
  validateId(context.runAsUser, path.child('runAsUser'), report);
  validateId(context.runAsGroup, path.child('runAsGroup'), report);
  for (const [at, group] of (context.supplementalGroups ?? []).entries()) {
    validateId(group, path.child('supplementalGroups').index(at), report);
  }
  if (scope.spec.shareProcessNamespace && scope.spec.hostPID) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
    report.invalid(path.child('shareProcessNamespace'), true, detail);
  }
  if (context.sysctls) validateSysctls(context.sysctls, path.child('sysctls'), scope);
  validatePolicies(context, path, report);
  if (context.seccompProfile) validateSeccomp(context.seccompProfile, path.child('seccompProfile'), report);
  if (context.windowsOptions) validateWindowsOptions(context.windowsOptions, path.child('windowsOptions'), report);
  if (context.appArmorProfile) validateAppArmor(context.appArmorProfile, path.child('appArmorProfile'), report);
}

const POD_POLICIES = {
  fsGroupChangePolicy: ['Always', 'OnRootMismatch'],
  supplementalGroupsPolicy: ['Merge', 'Strict'],
  seLinuxChangePolicy: ['MountOption', 'Recursive'],
} as const;

function validatePolicies(context: PodSecurityContext, path: FieldPath, report: Report): void {
  for (const field of ['fsGroupChangePolicy', 'supplementalGroupsPolicy', 'seLinuxChangePolicy'] as const) {
    const value = context[field];
    const supported: readonly string[] = POD_POLICIES[field];
    if (value && !supported.includes(value)) report.unsupported(path.child(field), value, supported);
  }
}

function validateId(id: number | undefined | null, path: FieldPath, report: Report): void {
  if (id !== undefined && id !== null) report.invalidEach(path, id, idErrors(id));
}

function validateProcMount(type: string, path: FieldPath, scope: PodScope): void {
  if (type !== 'Default' && type !== 'Unmasked') scope.report.unsupported(path, type, ['Default', 'Unmasked']);
  if (type === 'Unmasked' && usesHostUsers(scope.spec)) {
    scope.report.invalid(path, type, '`hostUsers` must be false to use `Unmasked`');
  }
}

function validateEscalation(context: SecurityContext, path: FieldPath, report: Report): void {
  if (context.privileged) {
    report.invalid(path, context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
  }
  for (const capability of context.capabilities?.add ?? []) {
    if (capability !== 'CAP_SYS_ADMIN') continue;
    report.invalid(
      path,
      context,
      'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
    );
  }
}

function validateSeccomp(profile: SeccompProfile, path: FieldPath, report: Report): void {
  const { type, localhostProfile } = profile;
  if (!type) report.required(path.child('type'), 'type is required when seccompProfile is set');
  else if (!PROFILE_TYPES.includes(type)) report.unsupported(path.child('type'), type, PROFILE_TYPES);
  const profilePath = path.child('localhostProfile');
  const isSet = localhostProfile !== undefined && localhostProfile !== null;
  if (type !== 'Localhost') {
    if (isSet) report.invalid(profilePath, profile, 'can only be set when seccomp type is Localhost');
  } else if (isSet) validateDescendingPath(localhostProfile, profilePath, report);
  else report.required(profilePath, 'must be set when seccomp type is Localhost');
}

function validateAppArmor(profile: AppArmorProfile, path: FieldPath, report: Report): void {
  const { type, localhostProfile } = profile;
  if (!type) return report.required(path.child('type'), 'type is required when appArmorProfile is set');
  if (!PROFILE_TYPES.includes(type)) return report.unsupported(path.child('type'), type, PROFILE_TYPES);
  const profilePath = path.child('localhostProfile');
  const isSet = localhostProfile !== undefined && localhostProfile !== null;
  if (type !== 'Localhost') {
    if (isSet) report.invalid(profilePath, localhostProfile, 'can only be set when AppArmor type is Localhost');
    return undefined;
  }
  const text = localhostProfile ?? '';
  if (text.trim() !== text) report.invalid(profilePath, text, 'must not be padded with whitespace');
  else if (text === '') report.required(profilePath, 'must be set when AppArmor type is Localhost');
  if (text.length > APPARMOR_PATH_BYTES_MAX) report.tooLong(profilePath, APPARMOR_PATH_BYTES_MAX);
  return undefined;
}

const SYSCTL = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const SYSCTL_PATTERN = new RegExp(SYSCTL);
const SYSCTL_LENGTH_MAX = 253;

function validateSysctls(sysctls: readonly Sysctl[], path: FieldPath, scope: PodScope): void {
  const seen = new Set<string>();
  for (const [at, { name }] of sysctls.entries()) {
    const here = path.index(at).child('name');
    if (!name) scope.report.required(here);
    else if (name.length > SYSCTL_LENGTH_MAX || !SYSCTL_PATTERN.test(name)) {
      const detail = `must have at most ${SYSCTL_LENGTH_MAX} characters and match regex ${SYSCTL}`;
      scope.report.invalid(here, name, detail);
    } else if (seen.has(name)) scope.report.duplicate(here, name);
    seen.add(name);
    validateHostSysctl(name, here, scope);
  }
}

/** A sysctl of a namespace makes no sense where the pod shares that namespace with the host. */
function validateHostSysctl(sysctl: string, path: FieldPath, scope: PodScope): void {
  const name = sysctl.replaceAll('/', '.');
  const isIpc = /^(kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(name) || name === 'kernel.sem';
  if (scope.spec.hostNetwork && name.startsWith('net.')) {
    scope.report.invalid(path, sysctl, "may not be specified when 'hostNetwork' is true");
  } else if (scope.spec.hostIPC && isIpc) {
    scope.report.invalid(path, sysctl, "may not be specified when 'hostIPC' is true");
  }
}
