import { checkCreate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const SERVICE: Kind = ['apiregistration.k8s.io', 'APIService', false];
const RIGHT = { group: 'g.io', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 };
const of = (fields: object): object => ({ metadata: { name: 'v1.g.io' }, spec: { ...RIGHT, ...fields } });

// Provenance: upstream kube-aggregator, pkg/apis/apiregistration/validation/validation.go.
checkCreate('API services', [
  ['local', 'ValidateAPIService', SERVICE, of({})],
  ['a backend', 'ValidateAPIService', SERVICE, of({ service: { name: 's', namespace: 'n' }, caBundle: 'eA==' })],
  [
    'another name',
    'ValidateAPIService',
    SERVICE,
    { spec: RIGHT },
    'metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.g.io"',
  ],
  [
    'priorities',
    'ValidateAPIService',
    SERVICE,
    of({ groupPriorityMinimum: 20001, versionPriority: 0 }),
    'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
    'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
  ],
  [
    'trust without a backend',
    'ValidateAPIService',
    SERVICE,
    of({ caBundle: 'eA==', insecureSkipTLSVerify: true }),
    'spec.caBundle: Invalid value: "1 bytes": local APIServices may not have a caBundle',
    'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
  ],
  [
    'a backend without names',
    'ValidateAPIService',
    SERVICE,
    of({ service: { port: 0 }, caBundle: 'eA==', insecureSkipTLSVerify: true }),
    'spec.service.namespace: Required value',
    'spec.service.name: Required value',
    'spec.service.port: Invalid value: 0: must be between 1 and 65535, inclusive',
    'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
  ],
]);
