import { checkUpdate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const SERVICE: Kind = ['', 'Service', true];
const PORTS = { ports: [{ port: 80 }] };

// Provenance: upstream pkg/apis/<group>/validation; the function is named in each row.

checkUpdate('kept addresses of services', [
  [
    'cluster IP',
    'validateUpgradeDowngradeClusterIPs',
    SERVICE,
    { spec: { ...PORTS, clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] } },
    { spec: { ...PORTS, clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'] } },
    'spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set',
  ],
  [
    'second address released',
    'validateUpgradeDowngradeClusterIPs',
    SERVICE,
    {
      spec: {
        ...PORTS,
        clusterIP: '10.0.0.1',
        clusterIPs: ['10.0.0.1', 'fd00::1'],
        ipFamilies: ['IPv4', 'IPv6'],
        ipFamilyPolicy: 'RequireDualStack',
      },
    },
    {
      spec: {
        ...PORTS,
        clusterIP: '10.0.0.1',
        clusterIPs: ['10.0.0.1'],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'PreferDualStack',
      },
    },
    'spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to \'SingleStack\' when releasing the secondary clusterIP',
    'spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to \'SingleStack\' when releasing the secondary ipFamily',
  ],
  [
    'class of a load balancer',
    'validateLoadBalancerClassField',
    SERVICE,
    { spec: { ...PORTS, type: 'LoadBalancer', loadBalancerClass: 'a' } },
    { spec: { ...PORTS, type: 'LoadBalancer', loadBalancerClass: 'b' } },
    'spec.loadBalancerClass: Invalid value: "b": may not change once set',
  ],
]);
