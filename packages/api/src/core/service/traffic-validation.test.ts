import { checkCreate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const SERVICE: Kind = ['', 'Service', true];
const PORTS = { ports: [{ port: 80 }] };

// Provenance: upstream pkg/apis/<group>/validation; the function is named in each row.
checkCreate('traffic of services', [
  [
    'external policy within',
    'validateServiceExternalTrafficPolicy',
    SERVICE,
    { spec: { ...PORTS, externalTrafficPolicy: 'Local' } },
    'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
  ],
  [
    'health check without need',
    'validateServiceExternalTrafficPolicy',
    SERVICE,
    { spec: { ...PORTS, healthCheckNodePort: 5 } },
    "spec.healthCheckNodePort: Invalid value: 5: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
  ],
  [
    'no health check',
    'validateServiceExternalTrafficPolicy',
    SERVICE,
    { spec: { ...PORTS, type: 'LoadBalancer', externalTrafficPolicy: 'Local' } },
    'spec.healthCheckNodePort: Required value',
  ],
  [
    'internal policy',
    'validateServiceInternalTrafficFieldsValue',
    SERVICE,
    { spec: { ...PORTS, internalTrafficPolicy: 'Foo' } },
    'spec.internalTrafficPolicy: Unsupported value: "Foo": supported values: "Cluster", "Local"',
  ],
  [
    'class of no load balancer',
    'validateLoadBalancerClassField',
    SERVICE,
    { spec: { ...PORTS, loadBalancerClass: 'a' } },
    "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
  ],
]);
