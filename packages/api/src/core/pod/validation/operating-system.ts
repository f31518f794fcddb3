import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import type { AnyContainer, PodScope } from './scope.ts';

const LINUX_ONLY_POD = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
] as const;

const LINUX_ONLY_SPEC = ['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace'] as const;

const LINUX_ONLY_CONTAINER = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

const NOT_ON_WINDOWS = 'cannot be set for a windows pod';
const NOT_ON_LINUX = 'windows options cannot be set for a linux pod';

/** A pod that names its operating system may only use what that system has. */
export function validateOperatingSystem(path: FieldPath, scope: PodScope): void {
  const os = scope.spec.os;
  if (!os) return;
  if (!os.name) scope.report.required(path.child('os').child('name'), 'cannot be empty');
  else if (os.name === 'windows') forbidLinuxFields(path, scope);
  else if (os.name === 'linux') forbidWindowsFields(path, scope);
  else scope.report.unsupported(path.child('os'), os.name, ['linux', 'windows']);
}

function forbidLinuxFields(path: FieldPath, scope: PodScope): void {
  const { spec, report } = scope;
  for (const field of LINUX_ONLY_SPEC) {
    if (isSet(spec[field])) report.forbidden(path.child(field), NOT_ON_WINDOWS);
  }
  for (const field of LINUX_ONLY_POD) {
    if (isSet(spec.securityContext?.[field])) {
      report.forbidden(path.child('securityContext').child(field), NOT_ON_WINDOWS);
    }
  }
  visitContainers(path, scope, (container, here) => {
    for (const field of LINUX_ONLY_CONTAINER) {
      if (!isSet(container.securityContext?.[field])) continue;
      report.forbidden(here.child('securityContext').child(field), NOT_ON_WINDOWS);
    }
  });
}

function forbidWindowsFields(path: FieldPath, scope: PodScope): void {
  const { spec, report } = scope;
  forbidWindowsOptions(spec, path, report);
  visitContainers(path, scope, (container, here) => forbidWindowsOptions(container, here, report));
}

function forbidWindowsOptions(
  owner: { readonly securityContext?: { readonly windowsOptions?: object } },
  path: FieldPath,
  report: Report,
): void {
  if (!owner.securityContext?.windowsOptions) return;
  report.forbidden(path.child('securityContext').child('windowsOptions'), NOT_ON_LINUX);
}

/** Windows containers that run in the host itself: all of a pod's, or none. */
export function validateHostProcess(path: FieldPath, scope: PodScope): void {
  const { spec, report } = scope;
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  let containers = 0;
  let hostProcess = 0;
  visitContainers(path, scope, (container, here) => {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    containers++;
    if (own ?? ofPod) hostProcess++;
    if (ofPod === undefined || own === undefined || own === ofPod) return;
    const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
    const ownPath = here.child('securityContext').child('windowsOptions').child('hostProcess');
    report.invalid(ownPath, own, detail);
  });
  if (hostProcess === 0) return;
  if (hostProcess !== containers) {
    const detail = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    report.invalid(path, '', detail);
  }
  if (!spec.hostNetwork) {
    const detail = 'hostNetwork must be true if pod contains any hostProcess containers';
    report.invalid(path.child('hostNetwork'), false, detail);
  }
}

function visitContainers(
  path: FieldPath,
  scope: PodScope,
  visit: (container: AnyContainer, path: FieldPath) => void,
): void {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const [at, container] of (scope.spec[list] ?? []).entries()) visit(container, path.child(list).index(at));
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}
