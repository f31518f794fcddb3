import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { detailsOf, evaluatePod } from './evaluate.ts';
import { parseLevel, parseVersion } from './pod-security-policy.ts';
import type { LevelVersion } from './pod-security-policy.ts';
import type { PodLike } from './violation.ts';

interface Changes {
  readonly pod?: object;
  readonly context?: object;
  readonly container?: object;
  readonly containerContext?: object;
  readonly annotations?: { readonly [name: string]: string };
}

/** Meets `restricted` but for the changes. */
function podWith({ pod, context, container, containerContext, annotations = {} }: Changes): PodLike {
  return {
    metadata: { annotations },
    spec: {
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' }, ...context },
      containers: [
        {
          name: 'c',
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, ...containerContext },
          ...container,
        },
      ],
      ...pod,
    },
  } as never;
}

function levelVersion(text: string): LevelVersion {
  const [level = '', version = ''] = text.split(':');
  return { level: parseLevel(level) ?? 'privileged', version: parseVersion(version) ?? 'latest' };
}

type Row = readonly [name: string, changes: Changes, asked: string, said: string];

const FIELDS: readonly Row[] = [
  ['nothing wrong', {}, 'restricted:latest', ''],
  ['nothing wrong, long ago', {}, 'restricted:v1.0', ''],
  ['hostNetwork', { pod: { hostNetwork: true } }, 'baseline:latest', 'host namespaces (hostNetwork=true)'],
  ['hostPID', { pod: { hostPID: true } }, 'baseline:latest', 'host namespaces (hostPID=true)'],
  ['hostIPC', { pod: { hostIPC: true } }, 'baseline:latest', 'host namespaces (hostIPC=true)'],
  [
    'hostPath',
    { pod: { volumes: [{ name: 'v', hostPath: { path: '/' } }] } },
    'baseline:latest',
    'hostPath volumes (volume "v")',
  ],
  [
    'hostPath, told as a volume type',
    { pod: { volumes: [{ name: 'v', hostPath: { path: '/' } }] } },
    'restricted:latest',
    'restricted volume types (volume "v" uses restricted volume type "hostPath")',
  ],
  [
    'hostPort',
    { container: { ports: [{ containerPort: 1, hostPort: 80 }, { containerPort: 2 }] } },
    'baseline:latest',
    'hostPort (container "c" uses hostPort 80)',
  ],
  [
    'privileged',
    { containerContext: { privileged: true } },
    'baseline:latest',
    'privileged (container "c" must not set securityContext.privileged=true)',
  ],
  [
    'privileged init and ephemeral containers',
    {
      pod: {
        initContainers: [{ name: 'i', securityContext: { privileged: true } }],
        ephemeralContainers: [{ name: 'e', securityContext: { privileged: true } }],
      },
    },
    'baseline:latest',
    'privileged (containers "i", "e" must not set securityContext.privileged=true)',
  ],
  [
    'capabilities.add',
    { containerContext: { capabilities: { drop: ['ALL'], add: ['NET_RAW', 'CHOWN', 'BPF'] } } },
    'baseline:latest',
    'non-default capabilities (container "c" must not include "BPF", "NET_RAW" in securityContext.capabilities.add)',
  ],
  [
    'capabilities.add of the default set',
    { containerContext: { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE', 'CHOWN'] } } },
    'restricted:latest',
    'unrestricted capabilities (container "c" must not include "CHOWN" in securityContext.capabilities.add)',
  ],
  [
    'capabilities.drop',
    { containerContext: { capabilities: { drop: ['CHOWN'], add: ['BPF'] } } },
    'restricted:v1.22',
    'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]; container "c" must not include "BPF" in securityContext.capabilities.add)',
  ],
  ['capabilities.drop before 1.22', { containerContext: { capabilities: {} } }, 'restricted:v1.21', ''],
  [
    'procMount',
    { containerContext: { procMount: 'Unmasked' } },
    'baseline:v1.34',
    'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    'procMount in a user namespace, before 1.35',
    { pod: { hostUsers: false }, containerContext: { procMount: 'Unmasked' } },
    'baseline:v1.34',
    'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    'procMount in a user namespace',
    { pod: { hostUsers: false }, containerContext: { procMount: 'Unmasked' } },
    'baseline:v1.35',
    '',
  ],
  [
    'procMount in a user namespace, restricted',
    { pod: { hostUsers: false }, containerContext: { procMount: 'Unmasked' } },
    'restricted:latest',
    'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    'seLinuxOptions',
    { context: { seLinuxOptions: { type: 'x' } }, containerContext: { seLinuxOptions: { user: 'u', role: 'r' } } },
    'baseline:latest',
    'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: type "x"; user may not be set; role may not be set)',
  ],
  [
    'seLinuxOptions.type of engines before 1.31',
    { context: { seLinuxOptions: { type: 'container_engine_t' } } },
    'baseline:v1.30',
    'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
  ],
  ['seLinuxOptions.type', { context: { seLinuxOptions: { type: 'container_engine_t' } } }, 'baseline:v1.31', ''],
  [
    'seccompProfile',
    { containerContext: { seccompProfile: { type: 'Unconfined' } } },
    'baseline:latest',
    'seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    'seccompProfile of the pod, told once',
    { context: { seccompProfile: { type: 'Unconfined' } } },
    'restricted:latest',
    'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    'no seccompProfile',
    { context: { seccompProfile: undefined } },
    'restricted:v1.19',
    'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  ['no seccompProfile before 1.19', { context: { seccompProfile: undefined } }, 'restricted:v1.18', ''],
  ['no seccompProfile, baseline', { context: { seccompProfile: undefined } }, 'baseline:latest', ''],
  [
    'annotations of seccomp',
    {
      annotations: {
        'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
        'container.seccomp.security.alpha.kubernetes.io/c': 'x',
        'container.seccomp.security.alpha.kubernetes.io/nobody': 'x',
      },
    },
    'baseline:v1.18',
    'seccompProfile (forbidden annotations container.seccomp.security.alpha.kubernetes.io/c="x", seccomp.security.alpha.kubernetes.io/pod="unconfined")',
  ],
  [
    'annotations of AppArmor',
    { annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' } },
    'baseline:latest',
    'forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
  ],
  [
    'appArmorProfile',
    { context: { appArmorProfile: { type: 'Unconfined' } } },
    'baseline:latest',
    'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
  ],
  [
    'sysctls',
    { context: { sysctls: [{ name: 'net.ipv4.tcp_rmem' }, { name: 'kernel.msgmax' }] } },
    'baseline:latest',
    'forbidden sysctls (kernel.msgmax)',
  ],
  ...sysctlsBefore('net.ipv4.ip_local_reserved_ports', 27),
  ...sysctlsBefore('net.ipv4.tcp_keepalive_time', 29),
  ...sysctlsBefore('net.ipv4.tcp_fin_timeout', 29),
  ...sysctlsBefore('net.ipv4.tcp_keepalive_intvl', 29),
  ...sysctlsBefore('net.ipv4.tcp_keepalive_probes', 29),
  ...sysctlsBefore('net.ipv4.tcp_rmem', 32),
  ...sysctlsBefore('net.ipv4.tcp_wmem', 32),
  [
    'windowsOptions.hostProcess',
    { context: { windowsOptions: { hostProcess: true } }, containerContext: { windowsOptions: { hostProcess: true } } },
    'baseline:latest',
    'hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
  ],
  [
    'host of probes and hooks',
    {
      container: {
        livenessProbe: { httpGet: { host: 'b' } },
        readinessProbe: { tcpSocket: { host: 'a' } },
        lifecycle: { preStop: { httpGet: { host: 'd' } }, postStart: { tcpSocket: { host: 'e' } } },
        startupProbe: { httpGet: { host: '' } },
      },
    },
    'baseline:v1.34',
    'probe or lifecycle host (container "c" uses probe or lifecycle hosts "a", "b", "d", "e")',
  ],
  [
    'host of a startup probe',
    { container: { startupProbe: { httpGet: { host: 'h' } } } },
    'baseline:latest',
    'probe or lifecycle host (container "c" uses probe or lifecycle host "h")',
  ],
  ['host of probes before 1.34', { container: { livenessProbe: { httpGet: { host: 'b' } } } }, 'baseline:v1.33', ''],
  [
    'allowPrivilegeEscalation',
    { containerContext: { allowPrivilegeEscalation: undefined } },
    'restricted:latest',
    'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)',
  ],
  [
    'allowPrivilegeEscalation before 1.8',
    { containerContext: { allowPrivilegeEscalation: true } },
    'restricted:v1.7',
    '',
  ],
  [
    'allowPrivilegeEscalation on Windows before 1.25',
    { pod: { os: { name: 'windows' } }, containerContext: { allowPrivilegeEscalation: true } },
    'restricted:v1.24',
    'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)',
  ],
  [
    'nothing of Linux on Windows',
    {
      pod: { os: { name: 'windows' } },
      context: { seccompProfile: undefined },
      containerContext: { allowPrivilegeEscalation: undefined, capabilities: undefined },
    },
    'restricted:latest',
    '',
  ],
  [
    'runAsNonRoot',
    { context: { runAsNonRoot: undefined } },
    'restricted:latest',
    'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
  ],
  [
    'runAsNonRoot=false',
    { context: { runAsNonRoot: false }, containerContext: { runAsNonRoot: false } },
    'restricted:latest',
    'runAsNonRoot != true (pod and container "c" must not set securityContext.runAsNonRoot=false)',
  ],
  ['runAsNonRoot of the container', { context: {}, containerContext: { runAsNonRoot: true } }, 'restricted:latest', ''],
  ['runAsUser', { context: { runAsUser: 0 } }, 'restricted:v1.23', 'runAsUser=0 (pod must not set runAsUser=0)'],
  ['runAsUser before 1.23', { context: { runAsUser: 0 } }, 'restricted:v1.22', ''],
  [
    'root in a user namespace',
    { pod: { hostUsers: false }, context: { runAsUser: 0, runAsNonRoot: false } },
    'restricted:v1.35',
    '',
  ],
  [
    'root in a user namespace before 1.35',
    { pod: { hostUsers: false }, context: { runAsUser: 0 } },
    'restricted:v1.34',
    'runAsUser=0 (pod must not set runAsUser=0)',
  ],
  [
    'several, in their order',
    { pod: { hostPID: true }, context: { runAsUser: 0 }, containerContext: { privileged: true } },
    'restricted:v1.99',
    'host namespaces (hostPID=true), privileged (container "c" must not set securityContext.privileged=true), runAsUser=0 (pod must not set runAsUser=0)',
  ],
];

function sysctlsBefore(name: string, minor: number): Row[] {
  const changes = { context: { sysctls: [{ name }] } };
  return [
    [`sysctl ${name} before 1.${minor}`, changes, `baseline:v1.${minor - 1}`, `forbidden sysctls (${name})`],
    [`sysctl ${name}`, changes, `baseline:v1.${minor}`, ''],
  ];
}

describe('one field wrong', () => {
  for (const [name, changes, asked, said] of FIELDS) {
    test(name, () => assert.equal(detailsOf(evaluatePod(podWith(changes), levelVersion(asked))), said));
  }
});

const ALLOWED_VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
const REFUSED_VOLUMES =
  'hostPath gcePersistentDisk awsElasticBlockStore gitRepo nfs iscsi glusterfs rbd flexVolume cinder cephfs flocker fc azureFile vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO storageos';

describe('volume types of restricted', () => {
  const said = (type: string): string =>
    detailsOf(
      evaluatePod(podWith({ pod: { volumes: [{ name: 'v', [type]: {} }] } }), levelVersion('restricted:latest')),
    );
  for (const type of ALLOWED_VOLUMES) test(type, () => assert.equal(said(type), ''));
  for (const type of REFUSED_VOLUMES.split(' ')) {
    test(type, () => {
      assert.equal(said(type), `restricted volume types (volume "v" uses restricted volume type "${type}")`);
    });
  }
});
