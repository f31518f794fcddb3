import { LABEL, checkSpecs } from '../../../testing/pod-spec-table.ts';

checkSpecs('single fields of a pod’s spec', [
  [
    'restart policy',
    'validateRestartPolicy',
    { restartPolicy: 'Foo' },
    'spec.restartPolicy: Unsupported value: "Foo": supported values: "Always", "OnFailure", "Never"',
  ],
  [
    'DNS policy',
    'validateDNSPolicy',
    { dnsPolicy: 'Foo' },
    'spec.dnsPolicy: Unsupported value: "Foo": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
  ],
  [
    'deadline',
    'ValidatePodSpec',
    { activeDeadlineSeconds: 0 },
    'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
  ],
  ['hostname', 'ValidatePodSpec', { hostname: 'A' }, `spec.hostname: Invalid value: "A": ${LABEL}`],
  [
    'preemption policy',
    'ValidatePreemptionPolicy',
    { preemptionPolicy: 'Foo' },
    'spec.preemptionPolicy: Unsupported value: "Foo": supported values: "PreemptLowerPriority", "Never"',
  ],
  [
    'overhead',
    'validateOverhead',
    { overhead: { foo: '1' } },
    'spec.overhead.limits[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
    'spec.overhead.limits[foo]: Invalid value: "foo": must be a standard resource for containers',
  ],
]);
