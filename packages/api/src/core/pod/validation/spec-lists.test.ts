import { checkSpecs } from '../../../testing/pod-spec-table.ts';

checkSpecs('lists of a pod’s spec', [
  [
    'node selector',
    'ValidateLabels',
    { nodeSelector: { 'a b': 'c' } },
    "spec.nodeSelector: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ],
  [
    'host alias',
    'ValidateHostAliases',
    { hostAliases: [{ ip: '999.1.1.1', hostnames: [] }] },
    'spec.hostAliases[0].ip: Invalid value: "999.1.1.1": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ],
  [
    'host PID in a user namespace',
    'validateHostUsers',
    { hostUsers: false, hostPID: true },
    'spec.HostPID: Forbidden: when `hostUsers` is false',
  ],
  [
    'the same gate twice',
    'validateSchedulingGates',
    { schedulingGates: [{ name: 'g' }, { name: 'g' }] },
    'spec.schedulingGates[1]: Duplicate value: "g"',
  ],
  [
    'a claim from nowhere',
    'validatePodResourceClaim',
    { resourceClaims: [{ name: 'a' }] },
    'spec.resourceClaims[0]: Invalid value: {"name":"a"}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
  ],
]);
