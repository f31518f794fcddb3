import { checkCreate, checkUpdate } from '../testing/kind-table.ts';
import type { Kind } from '../testing/kind-table.ts';

const ADDRESS: Kind = ['networking.k8s.io', 'IPAddress', false];
const CIDR: Kind = ['networking.k8s.io', 'ServiceCIDR', false];
const owned = (parentRef: object | undefined, name = '10.0.0.1'): object => ({
  metadata: { name },
  spec: { parentRef },
});
const OWNER = { resource: 'services', name: 's', namespace: 'd' };
const ranges = (...cidrs: string[]): object => ({ spec: { cidrs } });

// Provenance: upstream pkg/apis/networking/validation/validation.go.
checkCreate('addresses and ranges', [
  ['right', 'ValidateIPAddress', ADDRESS, owned(OWNER)],
  ['of nobody', 'validateIPAddressParentReference', ADDRESS, owned(undefined), 'spec.parentRef: Required value'],
  [
    'no address, half an owner',
    'ValidateIPAddressName',
    ADDRESS,
    owned({ resource: 'services' }, 'x'),
    'metadata.name: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    'spec.parentRef.name: Required value',
  ],
  ['of both families', 'ValidateServiceCIDR', CIDR, ranges('10.0.0.0/16', 'fd00::/112')],
  ['nothing', 'ValidateServiceCIDR', CIDR, ranges(), 'spec.cidrs: Required value: at least one CIDR required'],
  [
    'two of a family',
    'ValidateServiceCIDR',
    CIDR,
    ranges('10.0.0.0/16', '10.1.0.0/16'),
    'spec.cidrs: Invalid value: {"cidrs":["10.0.0.0/16","10.1.0.0/16"]}: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
  ],
  [
    'no range',
    'IsValidCIDR',
    CIDR,
    ranges('x'),
    'spec.cidrs[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  ],
]);

checkUpdate('addresses and ranges', [
  [
    'another owner',
    'ValidateIPAddressUpdate',
    ADDRESS,
    owned(OWNER),
    owned({ ...OWNER, name: 't' }),
    'spec.parentRef: Invalid value: {"resource":"services","name":"t","namespace":"d"}: field is immutable',
  ],
  [
    'another range',
    'ValidateServiceCIDRUpdate',
    CIDR,
    ranges('10.0.0.0/16'),
    ranges('10.1.0.0/16'),
    'spec.cidrs[0]: Invalid value: "10.1.0.0/16": field is immutable',
  ],
  [
    'the other family joins',
    'ValidateServiceCIDRUpdate',
    CIDR,
    ranges('10.0.0.0/16'),
    ranges('10.0.0.0/16', 'fd00::/112'),
  ],
  [
    'the other family takes the place',
    'ValidateServiceCIDRUpdate',
    CIDR,
    ranges('10.0.0.0/16'),
    ranges('fd00::/112', '10.0.0.0/16'),
    'spec.cidrs[0]: Invalid value: "fd00::/112": field is immutable',
  ],
  [
    'the same family joins',
    'ValidateServiceCIDRUpdate',
    CIDR,
    ranges('10.0.0.0/16'),
    ranges('10.0.0.0/16', '10.1.0.0/16'),
    'spec.cidrs: Invalid value: {"cidrs":["10.0.0.0/16","10.1.0.0/16"]}: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
  ],
  [
    'one of two goes',
    'ValidateServiceCIDRUpdate',
    CIDR,
    ranges('10.0.0.0/16', 'fd00::/112'),
    ranges('10.0.0.0/16'),
    'spec.cidrs: Invalid value: ["10.0.0.0/16"]: field is immutable',
  ],
]);
