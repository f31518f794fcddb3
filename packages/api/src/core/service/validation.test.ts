import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkCreate, checkUpdate, kindOf, objectOf, texts } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';
import { validateStatusUpdate } from '../../validate.ts';

const SERVICE: Kind = ['', 'Service', true];
const PORTS = { ports: [{ port: 80 }] };

// Provenance: upstream pkg/apis/<group>/validation; the function is named in each row.
checkCreate('services', [
  ['right service', 'ValidateService', SERVICE, { spec: PORTS }],
  ['service without ports', 'ValidateService', SERVICE, { spec: {} }, 'spec.ports: Required value'],
  ['headless service without ports', 'ValidateService', SERVICE, { spec: { clusterIP: 'None', clusterIPs: ['None'] } }],
  [
    'name of a service',
    'ValidateServiceName',
    SERVICE,
    { metadata: { name: '1a' }, spec: PORTS },
    "metadata.name: Invalid value: \"1a\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  ],
  [
    'ports without names',
    'validateServicePort',
    SERVICE,
    { spec: { ports: [{ port: 80 }, { port: 81, name: 'b' }] } },
    'spec.ports[0].name: Required value',
  ],
  [
    'port out of range',
    'validateServicePort',
    SERVICE,
    { spec: { ports: [{ port: 70000, targetPort: 'x' }] } },
    'spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive',
  ],
  [
    'the same port twice',
    'ValidateService',
    SERVICE,
    {
      spec: {
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 80 },
        ],
      },
    },
    'spec.ports[1]: Duplicate value: {"protocol":"TCP","port":80}',
  ],
  [
    'type',
    'ValidateService',
    SERVICE,
    { spec: { ...PORTS, type: 'Foo' } },
    'spec.type: Unsupported value: "Foo": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
  ],
  [
    'node port of a cluster IP',
    'ValidateService',
    SERVICE,
    { spec: { ports: [{ port: 80, nodePort: 30000 }] } },
    "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
  ],
  [
    'external name',
    'ValidateService',
    SERVICE,
    { spec: { type: 'ExternalName' } },
    'spec.externalName: Required value',
  ],
  [
    'affinity',
    'validateAffinityTimeout',
    SERVICE,
    { spec: { ...PORTS, sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } } },
    'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400',
  ],
  [
    'source ranges',
    'ValidateService',
    SERVICE,
    { spec: { ...PORTS, loadBalancerSourceRanges: ['10.0.0.0/40'] } },
    "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
    'spec.LoadBalancerSourceRanges[0]: Invalid value: "10.0.0.0/40": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  ],
  [
    'external address',
    'ValidateNonSpecialIP',
    SERVICE,
    { spec: { ...PORTS, externalIPs: ['127.0.0.1'] } },
    'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ],
]);

checkUpdate('services', [['nothing', 'ValidateServiceUpdate', SERVICE, { spec: PORTS }, { spec: PORTS }]]);

describe('validation of a service’s status', () => {
  it('Service: load balancer (ValidateLoadBalancerStatus)', () => {
    const before = objectOf(SERVICE, { spec: PORTS });
    const ingress = [{ ip: '1.2.3.4' }, { hostname: '1.2.3.4', ipMode: 'VIP' }];
    const after = objectOf(SERVICE, { spec: PORTS, status: { loadBalancer: { ingress } } });
    assert.deepEqual(texts(validateStatusUpdate(kindOf(SERVICE), after, before)), [
      'status.loadBalancer.ingress[0].ipMode: Required value: must be specified when `ip` is set',
      'status.loadBalancer.ingress[1].ipMode: Forbidden: may not be specified when `ip` is not set',
      'status.loadBalancer.ingress[1].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    ]);
  });
});
