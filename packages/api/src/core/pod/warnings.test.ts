import { deepEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod, PodSpec, PodTemplate } from '../../generated/core-v1.ts';
import { podStatusWarnings, podTemplateWarnings, podWarnings } from './warnings.ts';

const C = { name: 'c', image: 'i' };

function podOf(spec: Partial<PodSpec>, annotations?: { [key: string]: string }): Pod {
  const metadata = { name: 'p', ...(annotations === undefined ? {} : { annotations }) };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [C], ...spec } };
}

// Texts: what upstream's API server of v1.36 puts into its Warning headers.
const ROWS: readonly (readonly [name: string, pod: Pod, ...told: string[]])[] = [
  ['a plain pod', podOf({})],
  [
    'a label of nodes that was given up',
    podOf({ nodeSelector: { 'beta.kubernetes.io/os': 'linux', constructor: 'x' } }),
    'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
  ],
  [
    'the same in required affinity',
    podOf({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'beta.kubernetes.io/arch', operator: 'Exists' }] }],
          },
        },
      },
    }),
    'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead',
  ],
  [
    'values that no label has in preferred affinity',
    podOf({
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] } },
          ],
        },
      },
    }),
    "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values[0]: - is invalid, a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  ],
  [
    'terms that match no pod',
    podOf({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a' }],
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'a' } }],
        },
      },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'failure-domain.beta.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
      ],
    }),
    'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod',
    'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: a null labelSelector results in matching no pod',
    'spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    'spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod',
  ],
  [
    'annotations in whose place there are fields',
    podOf(
      {},
      {
        'scheduler.alpha.kubernetes.io/critical-pod': '',
        'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
        'container.seccomp.security.alpha.kubernetes.io/c': 'unconfined',
        'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default',
      },
    ),
    'metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
    'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
    'metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: non-functional in v1.27+; use the "seccompProfile" field instead',
    'metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
  ],
  [
    'an annotation that says what the field says',
    podOf(
      { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } },
      { 'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default' },
    ),
  ],
  [
    'volumes of old',
    podOf({
      volumes: [
        { name: 'a', gitRepo: { repository: 'r' } },
        { name: 'b', glusterfs: { endpoints: 'e', path: 'p' } },
        {
          name: 'c',
          ephemeral: {
            volumeClaimTemplate: {
              metadata: {},
              spec: { resources: { requests: { storage: '1.5' } }, accessModes: [] },
            },
          },
        },
      ],
    }),
    'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
    'spec.volumes[1].glusterfs: deprecated in v1.25, non-functional in v1.26+',
    'spec.volumes[2].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
  ],
  [
    'lists that name one twice, or none',
    podOf({
      hostAliases: [{ ip: '10.0.0.1' }, { ip: '10.0.0.1' }, { ip: 'FD00::1' }],
      imagePullSecrets: [{ name: 'a' }, { name: 'a' }, { name: '' }],
      dnsConfig: { nameservers: ['FD00::1'] },
    }),
    'spec.hostAliases[1].ip: duplicate ip "10.0.0.1"',
    'spec.hostAliases[2].ip: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")',
    'spec.imagePullSecrets[1].name: duplicate name "a"',
    'spec.imagePullSecrets[2].name: invalid empty name ""',
    'spec.dnsConfig.nameservers[0]: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")',
  ],
  [
    'parts of bytes',
    podOf({
      containers: [
        {
          ...C,
          resources: {
            limits: { memory: '1.5', cpu: '1.5' },
            requests: { memory: '1500m', 'ephemeral-storage': '1e-1' },
          },
        },
      ],
      overhead: { memory: '100m' },
    }),
    'spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer',
    'spec.containers[0].resources.requests[memory]: fractional byte value "1500m" is invalid, must be an integer',
    'spec.containers[0].resources.requests[ephemeral-storage]: fractional byte value "100e-3" is invalid, must be an integer',
    'spec.overhead[memory]: fractional byte value "100m" is invalid, must be an integer',
  ],
  ['whole bytes in other spellings', podOf({ containers: [{ ...C, resources: { limits: { memory: '1.5Gi' } } }] })],
  [
    'variables that hide others',
    podOf({
      initContainers: [
        {
          ...C,
          name: 'i',
          env: [
            { name: 'A', value: '1' },
            { name: 'A', value: '2' },
            { name: 'A', value: '$(A)3' },
            { name: 'A', value: '$(A)' },
            { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            { name: 'constructor', value: '1' },
          ],
        },
      ],
    }),
    'spec.initContainers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    'spec.initContainers[0].env[3]: hides previous definition of "A", which may be dropped when using apply',
    'spec.initContainers[0].env[4]: hides previous definition of "A", which may be dropped when using apply',
  ],
  [
    'ports over several containers',
    podOf({
      containers: [
        { ...C, ports: [{ containerPort: 80, protocol: 'TCP', name: 'web' }] },
        {
          ...C,
          name: 'd',
          ports: [
            { containerPort: 80, protocol: 'TCP', name: 'web' },
            { containerPort: 80, protocol: 'TCP', hostPort: 81 },
            { containerPort: 80, protocol: 'UDP', hostIP: '127.0.0.1' },
            { containerPort: 82, protocol: 'TCP', hostPort: 82 },
            { containerPort: 82, protocol: 'TCP', hostPort: 82, hostIP: '127.0.0.1' },
          ],
        },
      ],
    }),
    'spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]',
    'spec.containers[1].ports[1]: overlapping port definition with spec.containers[0].ports[0]',
    'spec.containers[1].ports[1]: overlapping port definition with spec.containers[1].ports[0]',
    'spec.containers[1].ports[2]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:UDP HostIP:127.0.0.1}',
    'spec.containers[1].ports[4]: dangerously ambiguous port definition with spec.containers[1].ports[3]',
    'spec.containers[1].ports[0]: duplicate port name "web" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
  ],
  [
    'a negative grace period',
    podOf({ terminationGracePeriodSeconds: -1 }),
    'spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
  ],
  [
    'files that overlap',
    podOf({
      volumes: [
        {
          name: 'v',
          configMap: {
            name: 'm',
            items: [
              { key: 'a', path: 'x/' },
              { key: 'b', path: 'x/y' },
              { key: 'c', path: 'xy' },
            ],
          },
        },
        {
          name: 'w',
          projected: {
            sources: [
              { secret: { name: 's', items: [{ key: 'a', path: 'token' }] } },
              { serviceAccountToken: { path: 'token' } },
              {},
            ],
          },
        },
      ],
    }),
    'volume "v" (ConfigMap "m"): overlapping paths: "x/y" with "x"',
    'volume "w" (Projected) has no sources provided',
    'volume "w" (Projected): overlapping paths: "token" (ServiceAccountToken) with "token" (Secret "s")',
  ],
];

describe('warnings of pods', () => {
  for (const [name, pod, ...told] of ROWS) it(name, () => deepEqual(podWarnings(pod), told));

  it('a name that is no DNS label', () => {
    const pod = { ...podOf({}), metadata: { name: 'a.b' } };
    deepEqual(podWarnings(pod), [
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ]);
  });

  it('nothing is told of a change', () => {
    const pod = podOf({ terminationGracePeriodSeconds: -1 });
    deepEqual(podWarnings(pod, pod), []);
  });

  it('a template that is an object of its own, when it is new or has changed', () => {
    const spec = { containers: [C], terminationGracePeriodSeconds: -1 };
    const object: PodTemplate = {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { generation: 1 },
      template: { metadata: {}, spec },
    };
    const told = [
      'template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
    ];
    deepEqual(podTemplateWarnings(object), told);
    deepEqual(podTemplateWarnings(object, object), []);
    deepEqual(podTemplateWarnings(object, { ...object, metadata: { generation: 0 } }), told);
  });

  it('addresses that a node reports', () => {
    const status = { podIPs: [{ ip: '10.0.0.1' }, { ip: 'FD00::1' }], hostIPs: [{ ip: '010.0.0.1' }] };
    deepEqual(podStatusWarnings({ ...podOf({}), status }), [
      'status.podIPs[1].ip: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")',
      'status.hostIPs[0].ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
    ]);
  });

  it('very many files that do not overlap, and very many that do, cost little', () => {
    const items = Array.from({ length: 20_000 }, (_, at) => ({ key: 'k', path: `d/${at}` }));
    deepEqual(podWarnings(podOf({ volumes: [{ name: 'v', configMap: { name: 'm', items } }] })), []);
    const same = items.map(() => ({ key: 'k', path: 'same' }));
    deepEqual(podWarnings(podOf({ volumes: [{ name: 'v', configMap: { name: 'm', items: same } }] })).length, 100);
  });
});
