import { checkCreate, checkUpdate } from '../testing/kind-table.ts';
import type { Kind } from '../testing/kind-table.ts';

const CLASS: Kind = ['networking.k8s.io', 'IngressClass', false];
const with_ = (fields: object): object => ({ spec: { controller: 'example.com/c', ...fields } });
const parameters = (fields: object): object => with_({ parameters: { kind: 'K', name: 'n', ...fields } });

// Provenance: upstream pkg/apis/networking/validation/validation.go.
checkCreate('ingress classes', [
  ['right', 'ValidateIngressClass', CLASS, with_({})],
  [
    'with parameters',
    'validateIngressClassParametersReference',
    CLASS,
    parameters({ scope: 'Namespace', namespace: 'd' }),
  ],
  ['no controller', 'validateIngressClassSpec', CLASS, { spec: {} }, 'spec.controller: Required value'],
  [
    'no domain',
    'IsDomainPrefixedPath',
    CLASS,
    { spec: { controller: 'c' } },
    'spec.controller: Invalid value: "c": must be a domain-prefixed path (such as "acme.io/foo")',
  ],
  [
    'no namespace',
    'validateIngressClassParametersReference',
    CLASS,
    parameters({ scope: 'Namespace' }),
    "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
  ],
  [
    'a namespace too many, no name',
    'validateIngressClassParametersReference',
    CLASS,
    parameters({ scope: 'Cluster', namespace: 'd', name: '' }),
    'spec.parameters.name: Required value: name is required',
    "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
  ],
]);

checkUpdate('ingress classes', [
  [
    'another controller',
    'validateIngressClassSpecUpdate',
    CLASS,
    with_({}),
    with_({ controller: 'example.com/d' }),
    'spec.controller: Invalid value: "example.com/d": field is immutable',
  ],
]);
