import * as baseline from './baseline-checks.ts';
import type { LevelVersion } from './pod-security-policy.ts';
import * as restricted from './restricted-checks.ts';
import type { Check, PodLike, Violation } from './violation.ts';

/** One control: which check holds from which minor on, and which control of baseline it takes the place of. */
interface Control {
  readonly id: string;
  /** By rising minor. */
  readonly since: readonly (readonly [minor: number, check: Check])[];
  readonly replaces?: string;
}

/** In the order of their ids, which is that of the messages. (Pod Security Standards.) */
const BASELINE: readonly Control[] = [
  { id: 'appArmorProfile', since: [[0, baseline.checkAppArmor]] },
  { id: 'capabilities_baseline', since: [[0, baseline.checkCapabilities]] },
  { id: 'hostNamespaces', since: [[0, baseline.checkHostNamespaces]] },
  { id: 'hostPathVolumes', since: [[0, baseline.checkHostPathVolumes]] },
  { id: 'hostPorts', since: [[0, baseline.checkHostPorts]] },
  { id: 'hostProbesAndHostLifecycle', since: [[34, baseline.checkProbeHosts]] },
  { id: 'privileged', since: [[0, baseline.checkPrivileged]] },
  {
    id: 'procMount',
    since: [
      [0, baseline.checkProcMount],
      [35, baseline.checkProcMountOutsideUserNamespace],
    ],
  },
  {
    id: 'seLinuxOptions',
    since: [
      [0, baseline.checkSELinux],
      [31, baseline.checkSELinuxWithEngine],
    ],
  },
  {
    id: 'seccompProfile_baseline',
    since: [
      [0, baseline.checkSeccompAnnotations],
      [19, baseline.checkSeccomp],
    ],
  },
  {
    id: 'sysctls',
    since: [
      [0, baseline.checkSysctls],
      [27, baseline.checkSysctlsOf27],
      [29, baseline.checkSysctlsOf29],
      [32, baseline.checkSysctlsOf32],
    ],
  },
  { id: 'windowsHostProcess', since: [[0, baseline.checkWindowsHostProcess]] },
];

const RESTRICTED: readonly Control[] = [
  {
    id: 'allowPrivilegeEscalation',
    since: [
      [8, restricted.checkPrivilegeEscalation],
      [25, restricted.exceptWindows(restricted.checkPrivilegeEscalation)],
    ],
  },
  {
    id: 'capabilities_restricted',
    since: [
      [22, restricted.checkCapabilitiesDropped],
      [25, restricted.exceptWindows(restricted.checkCapabilitiesDropped)],
    ],
    replaces: 'capabilities_baseline',
  },
  { id: 'procMount_restricted', since: [[35, baseline.checkProcMount]], replaces: 'procMount' },
  { id: 'restrictedVolumes', since: [[0, restricted.checkVolumeTypes]], replaces: 'hostPathVolumes' },
  {
    id: 'runAsNonRoot',
    since: [
      [0, restricted.checkRunAsNonRoot],
      [35, restricted.exceptInUserNamespace(restricted.checkRunAsNonRoot)],
    ],
  },
  {
    id: 'runAsUser',
    since: [
      [23, restricted.checkRunAsUser],
      [35, restricted.exceptInUserNamespace(restricted.checkRunAsUser)],
    ],
  },
  {
    id: 'seccompProfile_restricted',
    since: [
      [19, restricted.checkSeccompSet],
      [25, restricted.exceptWindows(restricted.checkSeccompSet)],
    ],
    replaces: 'seccompProfile_baseline',
  },
];

/** Where the pod does not meet the standard, in the order of the messages. */
export function evaluatePod(pod: PodLike, { level, version }: LevelVersion): readonly Violation[] {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? NEWEST : Math.min(version, NEWEST);
  return known(level, minor).flatMap((check) => check(pod) ?? []);
}

/** The last minor that changed a control: what comes after it is as it. */
const NEWEST = Math.max(...[...BASELINE, ...RESTRICTED].flatMap(({ since }) => since.map(([minor]) => minor)));

/** Bounded: two levels, and no minor after the newest. */
const checksByVersion = new Map<string, readonly Check[]>();

function known(level: 'baseline' | 'restricted', minor: number): readonly Check[] {
  const key = `${level}:${minor}`;
  const checks = checksByVersion.get(key) ?? checksOf(level, minor);
  checksByVersion.set(key, checks);
  return checks;
}

function checksOf(level: 'baseline' | 'restricted', minor: number): readonly Check[] {
  const atMinor = ({ since }: Control): Check | undefined => since.findLast(([from]) => from <= minor)?.[1];
  const above = level === 'baseline' ? [] : RESTRICTED.filter((control) => atMinor(control) !== undefined);
  const replaced = new Set(above.map(({ replaces }) => replaces));
  const controls = [...BASELINE.filter(({ id }) => !replaced.has(id)), ...above];
  return controls.flatMap((control) => atMinor(control) ?? []);
}

/** The reasons alone: `privileged, hostPort`. */
export function reasonsOf(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(', ');
}

/** The reasons with what exactly: `privileged (container "c" …), hostPort (…)`. */
export function detailsOf(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
}
