import { checkCreate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const SERVICE: Kind = ['', 'Service', true];
const PORTS = { ports: [{ port: 80 }] };

// Provenance: upstream pkg/apis/<group>/validation; the function is named in each row.
checkCreate('addresses of services', [
  [
    'cluster IP',
    'ValidateServiceClusterIPsRelatedFields',
    SERVICE,
    { spec: { ...PORTS, clusterIP: 'x', clusterIPs: ['x'] } },
    'spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ],
  [
    'first address',
    'ValidateServiceClusterIPsRelatedFields',
    SERVICE,
    { spec: { ...PORTS, clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.2'] } },
    'spec.clusterIPs: Invalid value: ["10.0.0.2"]: first value must match `clusterIP`',
  ],
  [
    'two of a family',
    'ValidateServiceClusterIPsRelatedFields',
    SERVICE,
    { spec: { ...PORTS, clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', '10.0.0.2'] } },
    'spec.clusterIPs: Invalid value: ["10.0.0.1","10.0.0.2"]: may specify no more than one IP for each IP family',
  ],
  [
    'another family',
    'ValidateServiceClusterIPsRelatedFields',
    SERVICE,
    { spec: { ...PORTS, clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv6'] } },
    'spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`',
  ],
  [
    'None and another',
    'ValidateServiceClusterIPsRelatedFields',
    SERVICE,
    { spec: { ...PORTS, clusterIP: 'None', clusterIPs: ['None', '10.0.0.2'] } },
    'spec.clusterIPs: Invalid value: ["None","10.0.0.2"]: \'None\' must be the first and only value',
  ],
  [
    'family policy',
    'ValidateServiceClusterIPsRelatedFields',
    SERVICE,
    { spec: { ...PORTS, ipFamilyPolicy: 'Foo', ipFamilies: ['IPv5'] } },
    'spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
    'spec.ipFamilyPolicy: Unsupported value: "Foo": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
  ],
]);
