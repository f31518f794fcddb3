import type { Pod } from '@binnacle/api/core/v1';
import type { DnsConfig, IdMapping, PortMapping, Protocol, SandboxConfig } from '@binnacle/runtime';
import type { KubeletConfig } from '../config.ts';
import { podLabels } from './labels.ts';
import type { TextMap } from './labels.ts';
import { cgroupParent } from './resources.ts';
import { groupsPolicy, seccomp, seccompFolder, selinux, supplementalGroups } from './security.ts';

const HOSTNAME_MAX = 63;
const NOTHING: TextMap = Object.freeze({});
const NO_PORTS: readonly PortMapping[] = Object.freeze([]);

/** What the runtime is told of a pod. The pod's annotations go along: simulated runtimes are scripted by them. */
export function sandboxConfig(
  pod: Pod,
  config: KubeletConfig,
  of: {
    readonly attempt: number;
    readonly dns: DnsConfig;
    readonly runtimeHandler: string;
    /** Whom its users are on the node; undefined: themselves. */
    readonly users?: readonly IdMapping[] | undefined;
  },
): SandboxConfig {
  const { spec, metadata } = pod;
  const security = spec?.securityContext;
  const hostNetwork = spec?.hostNetwork === true;
  return {
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    uid: metadata.uid ?? '',
    attempt: of.attempt,
    hostname: hostNetwork ? '' : sandboxHostname(pod, config.clusterDomain),
    logDirectory: podLogDirectory(pod, config),
    dns: of.dns,
    ports: hostNetwork ? NO_PORTS : portMappings(pod),
    labels: podLabels(pod),
    annotations: metadata.annotations ?? NOTHING,
    cgroupParent: cgroupParent(config.cgroupRoot, pod),
    namespaces: {
      hostNetwork,
      hostPid: spec?.hostPID === true,
      hostIpc: spec?.hostIPC === true,
      sharePid: spec?.shareProcessNamespace === true,
      ...(of.users === undefined ? {} : { users: of.users }),
    },
    sysctls:
      security?.sysctls === undefined ? NOTHING : Object.fromEntries(security.sysctls.map((s) => [s.name, s.value])),
    ...(security?.runAsUser === undefined ? {} : { runAsUser: security.runAsUser }),
    ...(security?.runAsGroup === undefined || security.runAsUser === undefined
      ? {}
      : { runAsGroup: security.runAsGroup }),
    supplementalGroups: supplementalGroups(pod),
    ...groupsPolicy(pod),
    privileged: [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].some(
      (c) => c.securityContext?.privileged === true,
    ),
    seccomp: seccomp(security?.seccompProfile ?? { type: 'RuntimeDefault' }, seccompFolder(config.rootDirectory)),
    ...selinux(security?.seLinuxOptions),
    runtimeHandler: of.runtimeHandler,
  };
}

/** The short host name that the pod sees. */
export function podHostname(pod: Pod): string {
  const name = pod.spec?.hostnameOverride ?? (pod.spec?.hostname || (pod.metadata.name ?? ''));
  return name.length <= HOSTNAME_MAX ? name : name.slice(0, HOSTNAME_MAX).replace(/[-.]+$/, '');
}

/** `<subdomain>.<namespace>.svc.<cluster domain>`; empty without a subdomain, and where the host name is another one altogether. */
export function podDomain(pod: Pod, clusterDomain: string): string {
  const { subdomain = '', hostnameOverride } = pod.spec ?? {};
  if (subdomain === '' || hostnameOverride !== undefined) return '';
  return `${subdomain}.${pod.metadata.namespace ?? ''}.svc.${clusterDomain}`;
}

function sandboxHostname(pod: Pod, clusterDomain: string): string {
  const [short, domain] = [podHostname(pod), podDomain(pod, clusterDomain)];
  return pod.spec?.setHostnameAsFQDN === true && domain !== '' ? `${short}.${domain}` : short;
}

export function podLogDirectory(pod: Pod, config: KubeletConfig): string {
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  return `${config.podLogsDirectory}/${namespace}_${name}_${uid}`;
}

function portMappings(pod: Pod): readonly PortMapping[] {
  const out: PortMapping[] = [];
  for (const container of [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]) {
    for (const port of container.ports ?? []) {
      if (!port.hostPort) continue;
      out.push({
        protocol: (port.protocol ?? 'TCP') as Protocol,
        containerPort: port.containerPort,
        hostPort: port.hostPort,
        ...(port.hostIP ? { hostIP: port.hostIP } : {}),
      });
    }
  }
  return out.length === 0 ? NO_PORTS : out;
}
