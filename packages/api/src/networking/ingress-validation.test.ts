import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkCreate, checkUpdate, kindOf, objectOf, texts } from '../testing/kind-table.ts';
import type { Kind } from '../testing/kind-table.ts';
import { validateStatusUpdate } from '../validate.ts';

const INGRESS: Kind = ['networking.k8s.io', 'Ingress', true];
const BACKEND = { service: { name: 's', port: { number: 80 } } };
const rule = (fields: object): object => ({ spec: { rules: [fields] } });
const path = (fields: object): object =>
  rule({ http: { paths: [{ path: '/', pathType: 'Prefix', backend: BACKEND, ...fields }] } });
const backend = (fields: object): object => ({ spec: { defaultBackend: fields } });
const AT = 'spec.rules[0].http.paths[0]';

// Provenance: upstream pkg/apis/networking/validation/validation.go.
checkCreate('ingresses', [
  ['a backend', 'ValidateIngressSpec', INGRESS, backend(BACKEND)],
  [
    'a host',
    'validateIngressRules',
    INGRESS,
    rule({ host: '*.example.com', http: { paths: [{ pathType: 'ImplementationSpecific', backend: BACKEND }] } }),
  ],
  [
    'nothing',
    'ValidateIngressSpec',
    INGRESS,
    { spec: {} },
    'spec: Invalid value: null: either `defaultBackend` or `rules` must be specified',
  ],
  [
    'an address as host',
    'validateIngressRules',
    INGRESS,
    rule({ host: '10.0.0.1' }),
    'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
  ],
  [
    'a star in the wrong place',
    'IsWildcardDNS1123Subdomain',
    INGRESS,
    rule({ host: 'a.*.com' }),
    "spec.rules[0].host: Invalid value: \"a.*.com\": a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  ],
  [
    'no paths',
    'validateHTTPIngressRuleValue',
    INGRESS,
    rule({ http: { paths: [] } }),
    'spec.rules[0].http.paths: Required value',
  ],
  [
    'no type of path',
    'validateHTTPIngressPath',
    INGRESS,
    path({ pathType: undefined }),
    `${AT}.pathType: Required value: pathType must be specified`,
  ],
  [
    'no type of path, as it is decoded',
    'validateHTTPIngressPath',
    INGRESS,
    path({ pathType: null }),
    `${AT}.pathType: Required value: pathType must be specified`,
  ],
  [
    'an unknown type of path',
    'validateHTTPIngressPath',
    INGRESS,
    path({ pathType: 'Foo' }),
    `${AT}.pathType: Unsupported value: "Foo": supported values: "Exact", "ImplementationSpecific", "Prefix"`,
  ],
  [
    'wrong paths',
    'validateHTTPIngressPath',
    INGRESS,
    path({ path: 'a//b/.' }),
    `${AT}.path: Invalid value: "a//b/.": must be an absolute path`,
    `${AT}.path: Invalid value: "a//b/.": must not contain '//'`,
    `${AT}.path: Invalid value: "a//b/.": cannot end with '/.'`,
  ],
  [
    'no backend',
    'validateIngressBackend',
    INGRESS,
    backend({}),
    'spec.defaultBackend: Invalid value: "": resource or service backend is required',
  ],
  [
    'two backends',
    'validateIngressBackend',
    INGRESS,
    backend({ ...BACKEND, resource: { kind: 'K', name: 'n' } }),
    'spec.defaultBackend: Invalid value: "": cannot set both resource and service backends',
  ],
  [
    'a service without a port',
    'validateIngressBackend',
    INGRESS,
    backend({ service: { name: '' } }),
    'spec.defaultBackend.service.name: Required value',
    'spec.defaultBackend: Required value: port name or number is required',
  ],
  [
    'two ports',
    'validateIngressBackend',
    INGRESS,
    backend({ service: { name: 's', port: { name: 'http', number: 80 } } }),
    'spec.defaultBackend: Invalid value: "": cannot set both port name & port number',
  ],
  [
    'two classes',
    'ValidateIngressCreate',
    INGRESS,
    {
      metadata: { annotations: { 'kubernetes.io/ingress.class': 'a' } },
      spec: { defaultBackend: BACKEND, ingressClassName: 'b' },
    },
    'annotations.kubernetes.io/ingress.class: Invalid value: "a": must match `ingressClassName` when both are specified',
  ],
]);

checkUpdate('ingresses', [
  ['another backend', 'ValidateIngressUpdate', INGRESS, backend(BACKEND), path({})],
  [
    'no backend any more',
    'ValidateIngressUpdate',
    INGRESS,
    backend(BACKEND),
    backend({}),
    'spec.defaultBackend: Invalid value: "": resource or service backend is required',
  ],
]);

it('checks where an ingress is reached (ValidateIngressLoadBalancerStatus)', () => {
  const status = { loadBalancer: { ingress: [{ ip: 'x' }, { hostname: '10.0.0.1' }] } };
  const ingress = objectOf(INGRESS, { ...backend(BACKEND), status });
  assert.deepEqual(texts(validateStatusUpdate(kindOf(INGRESS), ingress, objectOf(INGRESS, backend(BACKEND)))), [
    'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    'status.loadBalancer.ingress[1].hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
  ]);
});
