import type { LifecycleHandler, Probe, SELinuxOptions } from '@binnacle/api/core/v1';
import { containersOf, hasUserNamespace, named, namesWhere, offenders, plural, quoted } from './violation.ts';
import { settingsOf, sorted } from './violation.ts';
import type { AnyContainer, Check, PodLike, Violation } from './violation.ts';

const DEFAULT_CAPABILITIES: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

export const checkCapabilities: Check = (pod) => {
  const beyond = (container: AnyContainer): string[] =>
    (container.securityContext?.capabilities?.add ?? []).filter((one) => !DEFAULT_CAPABILITIES.has(one));
  const names = namesWhere(pod, (container) => beyond(container).length > 0);
  if (names.length === 0) return undefined;
  const added = quoted(sorted(containersOf(pod).flatMap(beyond)));
  return {
    reason: 'non-default capabilities',
    detail: `${named('container', names)} must not include ${added} in securityContext.capabilities.add`,
  };
};

export const checkHostNamespaces: Check = ({ spec }) => {
  const set = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => spec[name] === true);
  if (set.length === 0) return undefined;
  return { reason: 'host namespaces', detail: set.map((name) => `${name}=true`).join(', ') };
};

export const checkHostPathVolumes: Check = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  return names.length === 0 ? undefined : { reason: 'hostPath volumes', detail: named('volume', names) };
};

export const checkHostPorts: Check = (pod) => {
  const portsOf = ({ ports }: AnyContainer): number[] =>
    (ports ?? []).flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [hostPort]));
  const names = namesWhere(pod, (container) => portsOf(container).length > 0);
  if (names.length === 0) return undefined;
  const ports = sorted(containersOf(pod).flatMap(portsOf).map(String));
  return {
    reason: 'hostPort',
    detail: usage('container', names, `${plural('hostPort', ports.length)} ${ports.join(', ')}`),
  };
};

/** A kubelet asks another host on the pod's behalf: out of the pod's network, with the node's rights. */
export const checkProbeHosts: Check = (pod) => {
  const hostsOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: AnyContainer): string[] =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap(hostsAsked);
  const names = sorted(namesWhere(pod, (container) => hostsOf(container).length > 0));
  if (names.length === 0) return undefined;
  const hosts = sorted(containersOf(pod).flatMap(hostsOf));
  return {
    reason: 'probe or lifecycle host',
    detail: usage('container', names, named('probe or lifecycle host', hosts)),
  };
};

function hostsAsked(asked: Probe | LifecycleHandler | undefined): string[] {
  return [asked?.httpGet?.host ?? '', asked?.tcpSocket?.host ?? ''].filter((host) => host !== '');
}

/** `volume "v" uses …`, `volumes "v", "w" use …`. */
export function usage(word: string, names: readonly string[], what: string): string {
  return `${named(word, names)} ${names.length === 1 ? 'uses' : 'use'} ${what}`;
}

export const checkPrivileged: Check = (pod) => {
  const names = namesWhere(pod, ({ securityContext }) => securityContext?.privileged === true);
  if (names.length === 0) return undefined;
  return { reason: 'privileged', detail: `${named('container', names)} must not set securityContext.privileged=true` };
};

export const checkProcMount: Check = (pod) => {
  const mountOf = ({ securityContext }: AnyContainer): string => securityContext?.procMount ?? 'Default';
  const names = namesWhere(pod, (container) => mountOf(container) !== 'Default');
  if (names.length === 0) return undefined;
  const mounts = sorted(containersOf(pod).map(mountOf)).filter((mount) => mount !== 'Default');
  return {
    reason: 'procMount',
    detail: `${named('container', names)} must not set securityContext.procMount to ${quoted(mounts)}`,
  };
};

export const checkProcMountOutsideUserNamespace: Check = (pod) =>
  hasUserNamespace(pod) ? undefined : checkProcMount(pod);

const SELINUX_TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

export const checkSELinux = seLinux(SELINUX_TYPES);
export const checkSELinuxWithEngine = seLinux([...SELINUX_TYPES, 'container_engine_t']);

function seLinux(types: readonly string[]): Check {
  const isBadType = ({ type = '' }: SELinuxOptions): boolean => !types.includes(type);
  const setsName = (name: string | undefined): boolean => (name ?? '') !== '';
  return (pod) => {
    const settings = settingsOf(pod, ({ seLinuxOptions }) => seLinuxOptions);
    const { who, values } = offenders(settings, (one) => isBadType(one) || setsName(one.user) || setsName(one.role));
    if (who.length === 0) return undefined;
    const bad = sorted(values.filter(isBadType).map(({ type = '' }) => type));
    const what = [
      ...(bad.length > 0 ? [named('type', bad)] : []),
      ...(values.some(({ user }) => setsName(user)) ? ['user may not be set'] : []),
      ...(values.some(({ role }) => setsName(role)) ? ['role may not be set'] : []),
    ];
    return {
      reason: 'seLinuxOptions',
      detail: `${who.join(' and ')} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`,
    };
  };
}

const SYSCTLS = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const SYSCTLS_OF_27 = [...SYSCTLS, 'net.ipv4.ip_local_reserved_ports'];
const SYSCTLS_OF_29 = [
  ...SYSCTLS_OF_27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const SYSCTLS_OF_32 = [...SYSCTLS_OF_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

export const checkSysctls = sysctls(SYSCTLS);
export const checkSysctlsOf27 = sysctls(SYSCTLS_OF_27);
export const checkSysctlsOf29 = sysctls(SYSCTLS_OF_29);
export const checkSysctlsOf32 = sysctls(SYSCTLS_OF_32);

function sysctls(allowed: readonly string[]): Check {
  return ({ spec }) => {
    const bad = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.includes(name));
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  };
}

export const checkWindowsHostProcess: Check = (pod) => {
  const settings = settingsOf(pod, ({ windowsOptions }) => windowsOptions?.hostProcess);
  const { who } = offenders(settings, (hostProcess) => hostProcess);
  if (who.length === 0) return undefined;
  return {
    reason: 'hostProcess',
    detail: `${who.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true`,
  };
};

const APPARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';

export const checkAppArmor: Check = (pod) => {
  const settings = settingsOf(pod, ({ appArmorProfile }) => appArmorProfile?.type);
  const { who, values } = offenders(settings, (type) => type !== 'RuntimeDefault' && type !== 'Localhost');
  const annotations = annotationsWhere(pod, (name, value) => {
    if (!name.startsWith(APPARMOR_ANNOTATION)) return false;
    return value !== '' && value !== 'runtime/default' && !value.startsWith('localhost/');
  });
  const setters = annotations.length === 0 ? who : [...who, plural('annotation', annotations.length)];
  if (setters.length === 0) return undefined;
  const bad = [...sorted(values), ...annotations];
  return {
    reason: plural('forbidden AppArmor profile', bad.length),
    detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(bad)}`,
  };
};

function annotationsWhere({ metadata }: PodLike, holds: (name: string, value: string) => boolean): string[] {
  const found = Object.entries(metadata?.annotations ?? {}).filter(([name, value]) => holds(name, value));
  return sorted(found.map(([name, value]) => `${name}=${JSON.stringify(value)}`));
}

const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';

/** Before 1.19 profiles were annotations. */
export const checkSeccompAnnotations: Check = (pod) => {
  const names = new Set([SECCOMP_POD, ...containersOf(pod).map(({ name }) => SECCOMP_CONTAINER + name)]);
  const bad = annotationsWhere(pod, (name, value) => {
    if (!names.has(name)) return false;
    return value !== 'runtime/default' && value !== 'docker/default' && !value.startsWith('localhost/');
  });
  if (bad.length === 0) return undefined;
  return { reason: 'seccompProfile', detail: `forbidden ${plural('annotation', bad.length)} ${bad.join(', ')}` };
};

export function isSeccompProfile(type: string): boolean {
  return type === 'RuntimeDefault' || type === 'Localhost';
}

export const checkSeccomp: Check = (pod): Violation | undefined => {
  const settings = settingsOf(pod, ({ seccompProfile }) => seccompProfile?.type);
  const { who, values } = offenders(settings, (type) => !isSeccompProfile(type));
  if (who.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `${who.join(' and ')} must not set securityContext.seccompProfile.type to ${quoted(sorted(values))}`,
  };
};
