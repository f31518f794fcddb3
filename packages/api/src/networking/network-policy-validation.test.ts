import { checkCreate } from '../testing/kind-table.ts';
import type { Kind } from '../testing/kind-table.ts';

const POLICY: Kind = ['networking.k8s.io', 'NetworkPolicy', true];
const from = (...peers: object[]): object => ({ spec: { podSelector: {}, ingress: [{ from: peers }] } });
const ports = (...list: object[]): object => ({ spec: { podSelector: {}, egress: [{ ports: list }] } });

// Provenance: upstream pkg/apis/networking/validation/validation.go.
checkCreate('network policies', [
  ['everything', 'ValidateNetworkPolicySpec', POLICY, { spec: { podSelector: {} } }],
  [
    'right peers and ports',
    'ValidateNetworkPolicySpec',
    POLICY,
    {
      spec: {
        podSelector: { matchLabels: { a: 'b' } },
        ingress: [
          {
            from: [
              { podSelector: {}, namespaceSelector: {} },
              { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
            ],
            ports: [
              { port: 80, endPort: 90 },
              { port: 'http', protocol: 'UDP' },
            ],
          },
        ],
      },
    },
  ],
  [
    'no peer',
    'ValidateNetworkPolicyPeer',
    POLICY,
    from({}),
    'spec.ingress[0].from[0]: Required value: must specify a peer',
  ],
  [
    'a range and pods',
    'ValidateNetworkPolicyPeer',
    POLICY,
    from({ podSelector: {}, ipBlock: { cidr: 'fd00::/8' } }),
    'spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer',
  ],
  [
    'ranges outside',
    'ValidateIPBlock',
    POLICY,
    from({ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/8', '11.0.0.0/16', 'fd00::/16'] } }),
    'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
    'spec.ingress[0].from[0].ipBlock.except[1]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
    'spec.ingress[0].from[0].ipBlock.except[2]: Invalid value: "fd00::/16": must be a strict subset of `cidr`',
  ],
  [
    'no range',
    'ValidateIPBlock',
    POLICY,
    from({ ipBlock: { cidr: 'x' } }),
    'spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  ],
  [
    'wrong ports',
    'ValidateNetworkPolicyPort',
    POLICY,
    ports({ port: 80, endPort: 70 }, { port: 'http', endPort: 80 }, { endPort: 80 }, { port: 80, protocol: 'X' }),
    'spec.egress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`',
    'spec.egress[0].ports[1].endPort: Invalid value: 80: may not be specified when `port` is non-numeric',
    'spec.egress[0].ports[2].endPort: Invalid value: 80: may not be specified when `port` is not specified',
    'spec.egress[0].ports[3].protocol: Unsupported value: "X": supported values: "TCP", "UDP", "SCTP"',
  ],
  [
    'an unknown type',
    'ValidateNetworkPolicySpec',
    POLICY,
    { spec: { podSelector: {}, policyTypes: ['Foo'] } },
    'spec.policyTypes[0]: Unsupported value: "Foo": supported values: "Ingress", "Egress"',
  ],
]);
