import { checkCreate, checkUpdate } from '../testing/kind-table.ts';
import type { Kind } from '../testing/kind-table.ts';

const SLICE: Kind = ['discovery.k8s.io', 'EndpointSlice', true];
const slice = (addressType: string, ...endpoints: object[]): object => ({ addressType, endpoints });
const ports = (...list: object[]): object => ({ addressType: 'IPv4', endpoints: [], ports: list });

// Provenance: upstream pkg/apis/discovery/validation/validation.go.
checkCreate('endpoint slices', [
  ['IPv4', 'ValidateEndpointSlice', SLICE, slice('IPv4', { addresses: ['10.0.0.1'], nodeName: 'n' })],
  ['names', 'IsFullyQualifiedDomainName', SLICE, slice('FQDN', { addresses: ['a.example.com.'] })],
  ['hints', 'validateHints', SLICE, slice('IPv6', { addresses: ['fd00::1'], hints: { forZones: [{ name: 'z' }] } })],
  ['no type', 'validateAddressType', SLICE, slice(''), 'addressType: Required value'],
  [
    'an unknown type',
    'validateAddressType',
    SLICE,
    slice('Foo'),
    'addressType: Unsupported value: "Foo": supported values: "FQDN", "IPv4", "IPv6"',
  ],
  [
    'no address',
    'validateEndpoints',
    SLICE,
    slice('IPv4', { addresses: [] }),
    'endpoints[0].addresses: Required value: must contain at least 1 address',
  ],
  [
    'of the other family, of this host',
    'IsValidIPv4Address',
    SLICE,
    slice('IPv4', { addresses: ['fd00::1'] }, { addresses: ['127.0.0.1'] }),
    'endpoints[0].addresses[0]: Invalid value: "fd00::1": must be a valid IPv4 address',
    'endpoints[1].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ],
  [
    'a short name',
    'IsFullyQualifiedDomainName',
    SLICE,
    slice('FQDN', { addresses: ['localhost'] }),
    'endpoints[0].addresses[0]: Invalid value: "localhost": should be a domain with at least two segments separated by dots',
  ],
  [
    'hints twice',
    'validateHints',
    SLICE,
    slice('IPv4', { addresses: ['10.0.0.1'], hints: { forZones: [{ name: 'z' }, { name: 'z' }] } }),
    'endpoints[0].hints.forZones[1].name: Duplicate value: "z"',
  ],
  [
    'ports twice',
    'validatePorts',
    SLICE,
    ports({ name: 'a' }, { name: 'a', protocol: 'X' }),
    'ports[1].name: Duplicate value: "a"',
    'ports[1].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
  ],
]);

checkUpdate('endpoint slices', [
  [
    'the other family',
    'ValidateEndpointSliceUpdate',
    SLICE,
    slice('IPv4'),
    slice('IPv6'),
    'addressType: Invalid value: "IPv6": field is immutable',
  ],
]);
