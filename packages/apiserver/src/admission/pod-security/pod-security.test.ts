import { UNMEASURED } from '../../ports/measures.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PODS } from '@binnacle/api';
import { admissionOf } from '../../testing/admission.ts';
import type { AdmissionCase } from '../../testing/admission.ts';
import { MemoryCache } from '../../testing/memory-cache.ts';
import { createPodSecurity, OPEN_POD_SECURITY } from './pod-security.ts';
import { StatusError } from '@binnacle/machinery';
import type { PodSecurityConfiguration } from './pod-security.ts';

const clock = { monotonic: () => 0 };
const label = 'pod-security.kubernetes.io/';

interface Told {
  readonly refused: string | undefined;
  readonly warnings: readonly string[];
  readonly annotations: { readonly [key: string]: string };
}

interface Around {
  readonly labels?: { readonly [mode: string]: string };
  readonly pods?: readonly object[];
  readonly configuration?: PodSecurityConfiguration;
}

function labelled(labels: { readonly [mode: string]: string }): { [name: string]: string } {
  return Object.fromEntries(Object.entries(labels).map(([mode, value]) => [label + mode, value]));
}

function tell(given: AdmissionCase, { labels = {}, pods = [], configuration = OPEN_POD_SECURITY }: Around): Told {
  const cache = new MemoryCache();
  for (const pod of pods) cache.put(PODS, pod as never);
  const plugin = createPodSecurity({ cache, clock, measures: UNMEASURED }, configuration);
  const warnings: string[] = [];
  const annotations: { [key: string]: string } = {};
  const attributes = {
    ...admissionOf(given),
    namespaceObject: { metadata: { name: 'a', labels: labelled(labels) } },
    warn: (message: string) => void warnings.push(message),
    annotate: (key: string, value: string) => void (annotations[key.replace(label, '')] ??= value),
  };
  if (!plugin.handles(attributes.operation, attributes.info, attributes.subresource)) {
    return { refused: undefined, warnings, annotations };
  }
  try {
    void plugin.validate?.(attributes);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { refused: error.message, warnings, annotations };
  }
  return { refused: undefined, warnings, annotations };
}

const spec = { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] };
const metadata = { namespace: 'a', name: 'p' };
const create: AdmissionCase = { operation: 'CREATE', resource: 'pods', object: { metadata, spec } };
const WHY = 'privileged (container "c" must not set securityContext.privileged=true)';
const PASSES: Told = { refused: undefined, warnings: [], annotations: {} };

const ROWS: readonly (readonly [name: string, given: AdmissionCase, around: Around, told: Told])[] = [
  ['no labels', create, {}, { ...PASSES, annotations: { 'enforce-policy': 'privileged:latest' } }],
  [
    'enforced: one answer, no warning beside',
    create,
    { labels: { enforce: 'baseline', warn: 'baseline', audit: 'baseline', 'audit-version': 'v1.30' } },
    {
      refused: `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${WHY}`,
      warnings: [],
      annotations: {
        'enforce-policy': 'baseline:latest',
        'audit-violations': `would violate PodSecurity "baseline:v1.30": ${WHY}`,
      },
    },
  ],
  [
    'warned and recorded',
    create,
    { labels: { audit: 'baseline', warn: 'baseline', 'warn-version': 'v1.31' } },
    {
      refused: undefined,
      warnings: [`would violate PodSecurity "baseline:v1.31": ${WHY}`],
      annotations: {
        'enforce-policy': 'privileged:latest',
        'audit-violations': `would violate PodSecurity "baseline:latest": ${WHY}`,
      },
    },
  ],
  [
    'a label that cannot be read refuses most',
    create,
    { labels: { enforce: 'strict', warn: 'strict' } },
    {
      refused: `pods "p" is forbidden: violates PodSecurity "restricted:latest": ${WHY}, allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`,
      warnings: [],
      annotations: {
        'enforce-policy': 'restricted:latest',
        error:
          'Failed to parse policy: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "strict": must be one of privileged, baseline, restricted]',
      },
    },
  ],
  [
    'templates are not refused: who enforces is warned',
    { operation: 'CREATE', resource: 'deployments.apps', object: { metadata, spec: { template: { spec } } } },
    { labels: { enforce: 'baseline', 'enforce-version': 'v1.33' } },
    { refused: undefined, warnings: [`would violate PodSecurity "baseline:v1.33": ${WHY}`], annotations: {} },
  ],
  [
    'the template of a cron job',
    {
      operation: 'UPDATE',
      resource: 'cronjobs.batch',
      object: { metadata, spec: { jobTemplate: { spec: { template: { spec } } } } },
    },
    { labels: { warn: 'baseline' } },
    { ...PASSES, warnings: [`would violate PodSecurity "baseline:latest": ${WHY}`] },
  ],
  [
    'a controller without a template',
    { operation: 'CREATE', resource: 'replicationcontrollers', object: { metadata, spec: {} } },
    { labels: { warn: 'baseline' } },
    PASSES,
  ],
  [
    'an update of labels',
    { ...create, operation: 'UPDATE', before: { metadata, spec } },
    { labels: { enforce: 'baseline' } },
    PASSES,
  ],
  [
    'an update of an image',
    { ...create, operation: 'UPDATE', before: { metadata, spec: { containers: [{ name: 'c', image: 'j' }] } } },
    { labels: { enforce: 'baseline' } },
    {
      ...PASSES,
      refused: `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${WHY}`,
      annotations: { 'enforce-policy': 'baseline:latest' },
    },
  ],
  [
    'an ephemeral container',
    {
      operation: 'UPDATE',
      resource: 'pods/ephemeralcontainers',
      object: {
        metadata,
        spec: { ...spec, ephemeralContainers: [{ name: 'd', image: 'i', securityContext: { privileged: true } }] },
      },
      before: { metadata, spec },
    },
    { labels: { enforce: 'baseline' } },
    {
      ...PASSES,
      refused:
        'pods "p" is forbidden: violates PodSecurity "baseline:latest": privileged (containers "c", "d" must not set securityContext.privileged=true)',
      annotations: { 'enforce-policy': 'baseline:latest' },
    },
  ],
  [
    'status',
    { ...create, operation: 'UPDATE', resource: 'pods/status', before: { metadata, spec: { containers: [] } } },
    { labels: { enforce: 'baseline' } },
    PASSES,
  ],
  ...(
    [
      ['user', { usernames: ['alice'] }],
      ['namespace', { namespaces: ['a'] }],
      ['runtimeClass', { runtimeClasses: ['kata'] }],
    ] as const
  ).map(([by, exempt]) => {
    const object = { metadata, spec: { ...spec, runtimeClassName: 'kata' } };
    const exemptions = { ...OPEN_POD_SECURITY.exemptions, ...exempt };
    return [
      `exempt by ${by}`,
      { ...create, object },
      { labels: { enforce: 'baseline' }, configuration: { ...OPEN_POD_SECURITY, exemptions } },
      { ...PASSES, annotations: { exempt: by } },
    ] as const;
  }),
  [
    'defaults of the configuration',
    create,
    {
      configuration: {
        ...OPEN_POD_SECURITY,
        defaults: { ...OPEN_POD_SECURITY.defaults, enforce: { level: 'baseline', version: 30 } },
      },
    },
    {
      ...PASSES,
      refused: `pods "p" is forbidden: violates PodSecurity "baseline:v1.30": ${WHY}`,
      annotations: { 'enforce-policy': 'baseline:v1.30' },
    },
  ],
];

describe('pods and templates', () => {
  for (const [name, given, around, told] of ROWS) test(name, () => assert.deepEqual(tell(given, around), told));
});

const namespace = (labels: { readonly [mode: string]: string }): object => ({
  metadata: { name: 'a', labels: labelled(labels) },
});

function podNamed(name: string, more: { readonly owner?: string; readonly spec?: object } = {}): object {
  const ownerReferences = more.owner === undefined ? [] : [{ uid: more.owner, controller: true }];
  return { metadata: { namespace: 'a', name, ownerReferences }, spec: more.spec ?? spec };
}

function relabel(
  before: { readonly [mode: string]: string },
  after: { readonly [mode: string]: string },
): AdmissionCase {
  return { operation: 'UPDATE', resource: 'namespaces', object: namespace(after), before: namespace(before) };
}

describe('labels of namespaces', () => {
  test('the pods that are there are counted, each reason once', () => {
    const pods = [
      podNamed('x', { owner: 'r' }),
      podNamed('b', { owner: 'r' }),
      podNamed('c'),
      podNamed('host', { spec: { ...spec, hostPID: true } }),
      podNamed('fine', { spec: { containers: [] } }),
    ];
    assert.deepEqual(tell(relabel({}, { enforce: 'baseline' }), { pods }).warnings, [
      'existing pods in namespace "a" violate the new PodSecurity enforce level "baseline:latest"',
      'b (and 2 other pods): privileged',
      'host: host namespaces, privileged',
    ]);
  });

  test('only so many are looked at', () => {
    const pods = Array.from({ length: 3_001 }, (_, i) => podNamed(`p${i}`, { spec: { containers: [] } }));
    assert.deepEqual(tell(relabel({}, { enforce: 'baseline' }), { pods }).warnings, [
      'new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods',
    ]);
  });

  const quiet: readonly (readonly [name: string, given: AdmissionCase])[] = [
    ['as before', relabel({ enforce: 'baseline' }, { enforce: 'baseline', other: '1' })],
    ['less strict', relabel({ enforce: 'restricted' }, { enforce: 'baseline' })],
    ['privileged', relabel({ enforce: 'baseline' }, { enforce: 'privileged', 'enforce-version': 'v1.2' })],
    ['warn and audit only', relabel({}, { warn: 'restricted', audit: 'restricted' })],
    ['wrong before and after', relabel({ enforce: 'x' }, { enforce: 'x', other: '1' })],
  ];
  for (const [name, given] of quiet) {
    test(name, () => assert.deepEqual(tell(given, { pods: [podNamed('p')] }), PASSES));
  }

  test('an older version of the same level is looked at', () => {
    const given = relabel({ enforce: 'baseline' }, { enforce: 'baseline', 'enforce-version': 'v1.0' });
    assert.equal(tell(given, { pods: [podNamed('p')] }).warnings.length, 2);
  });

  test('what cannot be read is refused', () => {
    const object = namespace({ enforce: 'strict', 'warn-version': '1.30' });
    assert.equal(
      tell({ operation: 'CREATE', resource: 'namespaces', object }, {}).refused,
      'Namespace "a" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.30": must be "latest" or "v1.x"]',
    );
  });

  test('an exempt namespace hears that its labels do nothing', () => {
    const exemptions = { ...OPEN_POD_SECURITY.exemptions, namespaces: ['a'] };
    const given: AdmissionCase = {
      operation: 'CREATE',
      resource: 'namespaces',
      object: namespace({ enforce: 'baseline', 'warn-version': 'v1.30' }),
    };
    assert.deepEqual(tell(given, { configuration: { ...OPEN_POD_SECURITY, exemptions } }).warnings, [
      'namespace "a" is exempt from Pod Security, and the policy (enforce=baseline:latest, warn=baseline:v1.30) will be ignored',
    ]);
  });
});
