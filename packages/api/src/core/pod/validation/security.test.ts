import { checkSpecs, container } from '../../../testing/pod-spec-table.ts';

checkSpecs('security contexts', [
  [
    'user id',
    'ValidateSecurityContext',
    container({ securityContext: { runAsUser: -1 } }),
    'spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
  ],
  [
    'seccomp without a profile',
    'validateSeccompProfileField',
    { securityContext: { seccompProfile: { type: 'Localhost' } } },
    'spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
  ],
  [
    'sysctl',
    'validateSysctls',
    { securityContext: { sysctls: [{ name: 'a..b', value: '1' }] } },
    'spec.securityContext.sysctls[0].name: Invalid value: "a..b": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
  ],
  [
    'escalation of the privileged',
    'ValidateSecurityContext',
    container({ securityContext: { allowPrivilegeEscalation: false, privileged: true } }),
    'spec.containers[0].securityContext: Invalid value: {"allowPrivilegeEscalation":false,"privileged":true}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
  ],
  [
    'open proc',
    'ValidateSecurityContext',
    container({ securityContext: { procMount: 'Unmasked' } }),
    'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
  ],
  [
    'seccomp type',
    'validateSeccompProfileType',
    container({ securityContext: { seccompProfile: { type: 'Foo' } } }),
    'spec.containers[0].securityContext.seccompProfile.type: Unsupported value: "Foo": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
  ],
  [
    'AppArmor without a profile',
    'ValidateAppArmorProfileField',
    { securityContext: { appArmorProfile: { type: 'Localhost' } } },
    'spec.securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost',
  ],
  [
    'who owns files',
    'validateFSGroupChangePolicy',
    { securityContext: { fsGroupChangePolicy: 'Foo', fsGroup: -1 } },
    'spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    'spec.securityContext.fsGroupChangePolicy: Unsupported value: "Foo": supported values: "Always", "OnRootMismatch"',
  ],
  [
    'a sysctl of the host’s network',
    'ValidateHostSysctl',
    { hostNetwork: true, securityContext: { sysctls: [{ name: 'net.ipv4.ip_forward', value: '1' }] } },
    'spec.securityContext.sysctls[0].name: Invalid value: "net.ipv4.ip_forward": may not be specified when \'hostNetwork\' is true',
  ],
]);
