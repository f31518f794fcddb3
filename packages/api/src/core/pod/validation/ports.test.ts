import { checkSpecs, container } from '../../../testing/pod-spec-table.ts';

checkSpecs('ports of containers', [
  [
    'no container port',
    'validateContainerPorts',
    container({ ports: [{}] }),
    'spec.containers[0].ports[0].containerPort: Required value',
  ],
  [
    'a port out of range',
    'validateContainerPorts',
    container({ ports: [{ containerPort: 70000, hostPort: 65536 }] }),
    'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
    'spec.containers[0].ports[0].hostPort: Invalid value: 65536: must be between 1 and 65535, inclusive',
  ],
  [
    'protocol',
    'validateContainerPorts',
    container({ ports: [{ containerPort: 1, protocol: 'ICMP' }] }),
    'spec.containers[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
  ],
  [
    'two ports of a name',
    'validateContainerPorts',
    container({
      ports: [
        { name: 'a', containerPort: 1 },
        { name: 'a', containerPort: 2 },
      ],
    }),
    'spec.containers[0].ports[1].name: Duplicate value: "a"',
  ],
  [
    'the same host port twice',
    'AccumulateUniqueHostPorts',
    container({
      ports: [
        { containerPort: 1, hostPort: 5 },
        { containerPort: 2, hostPort: 5 },
      ],
    }),
    'spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//5"',
  ],
  [
    'another host port on the host network',
    'validatePodHostNetworkDeps',
    { hostNetwork: true, ...container({ ports: [{ containerPort: 80, hostPort: 81 }] }) },
    'spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true',
  ],
  [
    'name of a port',
    'validateContainerPorts',
    container({ ports: [{ name: 'A', containerPort: 1 }] }),
    'spec.containers[0].ports[0].name: Invalid value: "A": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    'spec.containers[0].ports[0].name: Invalid value: "A": must contain at least one letter (a-z)',
  ],
  [
    'the same host port on two addresses',
    'AccumulateUniqueHostPorts',
    container({
      ports: [
        { containerPort: 1, hostPort: 5, hostIP: '10.0.0.1' },
        { containerPort: 2, hostPort: 5, hostIP: '10.0.0.2' },
      ],
    }),
  ],
]);
