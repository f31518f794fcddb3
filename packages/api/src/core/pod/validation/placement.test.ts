import { checkSpecs } from '../../../testing/pod-spec-table.ts';

checkSpecs('tolerations, spread and DNS', [
  [
    'DNS None without servers',
    'validatePodDNSConfig',
    { dnsPolicy: 'None' },
    'spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None',
  ],
  [
    'toleration without a key',
    'ValidateTolerations',
    { tolerations: [{ value: 'a' }] },
    'spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
  ],
  [
    'toleration seconds',
    'ValidateTolerations',
    { tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 1 }] },
    'spec.tolerations[0].effect: Invalid value: "NoSchedule": effect must be \'NoExecute\' when `tolerationSeconds` is set',
  ],
  [
    'toleration effect',
    'validateTaintEffect',
    { tolerations: [{ key: 'a', operator: 'Exists', effect: 'Foo' }] },
    'spec.tolerations[0].effect: Unsupported value: "Foo": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
  ],
  [
    'spread',
    'validateTopologySpreadConstraints',
    { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'Foo' }] },
    'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
    'spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty',
    'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Foo": supported values: "DoNotSchedule", "ScheduleAnyway"',
  ],
  [
    'too many name servers',
    'validatePodDNSConfig',
    { dnsConfig: { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', 'x'] } },
    'spec.dnsConfig.nameservers: Invalid value: ["1.1.1.1","1.1.1.2","1.1.1.3","x"]: must not have more than 3 nameservers',
    'spec.dnsConfig.nameservers[3]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ],
  ['underscores in search paths', 'validatePodDNSConfig', { dnsConfig: { searches: ['_sip._tcp.a_b.com.', '.'] } }],
  [
    'operator of a toleration',
    'ValidateTolerations',
    { tolerations: [{ key: 'a', operator: 'Foo' }] },
    'spec.tolerations[0].operator: Unsupported value: "Foo": supported values: "Equal", "Exists"',
  ],
  [
    'value of Exists',
    'ValidateTolerations',
    { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] },
    'spec.tolerations[0].operator: Invalid value: "b": value must be empty when `operator` is \'Exists\'',
  ],
  [
    'the same constraint twice',
    'ValidateSpreadConstraintNotRepeat',
    {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule' },
        { maxSkew: 2, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule' },
      ],
    },
    'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{k, DoNotSchedule}"',
  ],
  [
    'domains of a preference',
    'validateMinDomains',
    {
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2 }],
    },
    'spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
  ],
]);

const CANONICAL = 'must be a valid decimal integer in canonical form';
const NUMBERS: readonly (readonly [value: string, messages: readonly string[]])[] = [
  ['', ['must be non-empty', 'strconv.ParseInt: parsing "": invalid syntax']],
  ['007', [CANONICAL]],
  ['x', [CANONICAL, 'strconv.ParseInt: parsing "x": invalid syntax']],
  ['9223372036854775808', ['strconv.ParseInt: parsing "9223372036854775808": value out of range']],
  ['-9223372036854775808', []],
];
checkSpecs(
  'numbers of tolerations',
  NUMBERS.map(([value, messages]) => [
    JSON.stringify(value),
    'ValidateTolerations',
    { tolerations: [{ key: 'a', operator: 'Gt', value }] },
    ...messages.map((message) => `spec.tolerations[0].value: Invalid value: ${JSON.stringify(value)}: ${message}`),
  ]),
);
