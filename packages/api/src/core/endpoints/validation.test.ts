import { checkCreate, checkUpdate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const ENDPOINTS: Kind = ['', 'Endpoints', true];
const subset = (fields: object): object => ({ subsets: [{ addresses: [{ ip: '10.0.0.1' }], ...fields }] });

// Provenance: upstream pkg/apis/core/validation/validation.go.
checkCreate('endpoints', [
  ['none', 'ValidateEndpoints', ENDPOINTS, {}],
  ['right', 'validateEndpointSubsets', ENDPOINTS, subset({ ports: [{ port: 80 }] })],
  [
    'no address',
    'validateEndpointSubsets',
    ENDPOINTS,
    { subsets: [{}] },
    'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`',
  ],
  [
    'wrong addresses',
    'validateEndpointAddress',
    ENDPOINTS,
    subset({ addresses: [{ ip: 'x' }], notReadyAddresses: [{ ip: '169.254.0.1' }] }),
    'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address',
    'subsets[0].notReadyAddresses[0].ip: Invalid value: "169.254.0.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  ],
  [
    'ports without names',
    'validateEndpointPort',
    ENDPOINTS,
    subset({
      ports: [
        { name: 'a', port: 80 },
        { port: 0, protocol: 'X' },
      ],
    }),
    'subsets[0].ports[1].name: Required value',
    'subsets[0].ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    'subsets[0].ports[1].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
  ],
]);

checkUpdate('endpoints', [
  [
    'to nothing',
    'ValidateEndpointsUpdate',
    ENDPOINTS,
    subset({}),
    { subsets: [{}] },
    'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`',
  ],
]);
