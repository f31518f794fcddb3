import { checkCreate, checkStatusUpdate, checkUpdate } from '../testing/kind-table.ts';
import type { Kind } from '../testing/kind-table.ts';

const GROUP = 'resource.k8s.io';
const CLAIM: Kind = [GROUP, 'ResourceClaim', true];
const TEMPLATE: Kind = [GROUP, 'ResourceClaimTemplate', true];
const CLASS: Kind = [GROUP, 'DeviceClass', false];
const SLICE: Kind = [GROUP, 'ResourceSlice', false];

const gpu = { name: 'gpu', exactly: { deviceClassName: 'gpus' } };
const claim = (devices: object): object => ({ spec: { devices } });
const requests = (...list: object[]): object => claim({ requests: list });
const exactly = (fields: object): object => requests({ name: 'gpu', exactly: { deviceClassName: 'gpus', ...fields } });
const opaque = { driver: 'x.io', parameters: { a: 1 } };
const AT = 'spec.devices.requests[0]';
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const REFERENCE =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

// Provenance: upstream pkg/apis/resource/validation/validation.go.
checkCreate('claims', [
  ['nothing asked for', 'ValidateResourceClaim', CLAIM, claim({ requests: null })],
  [
    'right',
    'ValidateResourceClaim',
    CLAIM,
    claim({
      requests: [gpu, { name: 'any', firstAvailable: [{ name: 'a', deviceClassName: 'gpus' }] }],
      constraints: [{ requests: ['gpu', 'any/a'], matchAttribute: 'x.io/model' }],
      config: [{ requests: ['any'], opaque }],
    }),
  ],
  [
    'neither form of a request',
    'validateDeviceRequest',
    CLAIM,
    requests({ name: 'gpu' }, { ...gpu, name: 'G' }, { ...gpu, firstAvailable: [{ name: 'a', deviceClassName: 'b' }] }),
    `${AT}: Required value: exactly one of \`exactly\` or \`firstAvailable\` is required`,
    `spec.devices.requests[1].name: Invalid value: "G": ${LABEL}`,
    'spec.devices.requests[2]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set',
    'spec.devices.requests[2]: Duplicate value: "gpu"',
  ],
  [
    'how many',
    'validateDeviceAllocationMode',
    CLAIM,
    exactly({ allocationMode: 'All', count: 2 }),
    `${AT}.exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'`,
  ],
  [
    'less than one',
    'validateDeviceAllocationMode',
    CLAIM,
    exactly({ allocationMode: 'ExactCount', count: -1 }),
    `${AT}.exactly.count: Invalid value: -1: must be greater than zero`,
  ],
  [
    'another mode',
    'validateDeviceAllocationMode',
    CLAIM,
    exactly({ allocationMode: 'Some' }),
    `${AT}.exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"`,
  ],
  [
    'selectors and tolerations',
    'validateSelector',
    CLAIM,
    exactly({
      selectors: [{}, { cel: { expression: 'x'.repeat(10_241) } }],
      tolerations: [
        { operator: 'Exists', value: 'v' },
        { operator: 'In', effect: 'Never' },
        { key: 'a b', operator: 'Equal' },
      ],
    }),
    `${AT}.exactly.selectors[0].cel: Required value`,
    `${AT}.exactly.selectors[1].cel.expression: Too long: may not be more than 10240 bytes`,
    `${AT}.exactly.tolerations[0].value: Invalid value: "v": must be empty for operator \`Exists\``,
    `${AT}.exactly.tolerations[1].operator: Unsupported value: "In": supported values: "Equal", "Exists"`,
    `${AT}.exactly.tolerations[1].effect: Unsupported value: "Never": supported values: "NoExecute", "NoSchedule", "None"`,
    `${AT}.exactly.tolerations[2].key: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
  ],
  [
    'references to requests that are not there',
    'validateRequestNameRef',
    CLAIM,
    claim({
      requests: [gpu],
      constraints: [{ requests: ['none', 'gpu/a', 'a/b/c'], matchAttribute: 'model' }, {}],
      config: [{ requests: ['gpu', 'gpu'] }, { opaque: { driver: 'x.io', parameters: [1] } }],
    }),
    `spec.devices.constraints[0].requests[0]: Invalid value: "none": ${REFERENCE}`,
    `spec.devices.constraints[0].requests[1]: Invalid value: "gpu/a": ${REFERENCE}`,
    `spec.devices.constraints[0].requests[2]: Invalid value: "a/b/c": ${REFERENCE}`,
    'spec.devices.constraints[0].matchAttribute: Invalid value: "model": a fully qualified name must be a domain and a name separated by a slash',
    'spec.devices.constraints[1]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    'spec.devices.config[0].requests[1]: Duplicate value: "gpu"',
    'spec.devices.config[0].opaque: Required value',
    'spec.devices.config[1].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
  ],
  [
    'more than can be told apart',
    'validateSet',
    CLAIM,
    requests(...Array.from({ length: 33 }, () => gpu)),
    'spec.devices.requests: Too many: 33: must have at most 32 items',
  ],
  [
    'in a template, with its labels',
    'validateResourceClaimTemplateSpec',
    TEMPLATE,
    { spec: { metadata: { labels: { a: 'b c' } }, spec: { devices: { requests: [{ name: 'gpu' }] } } } },
    `spec.metadata.labels: Invalid value: "b c": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    'spec.spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required',
  ],
]);

checkUpdate('claims', [
  [
    'labels',
    'ValidateResourceClaimUpdate',
    CLAIM,
    requests(gpu),
    { ...requests(gpu), metadata: { labels: { a: 'b' } } },
  ],
  [
    'another class',
    'ValidateResourceClaimTemplateUpdate',
    TEMPLATE,
    { spec: { metadata: {}, spec: { devices: { requests: [] } } } },
    { spec: { metadata: { labels: { a: 'b' } }, spec: { devices: { requests: [] } } } },
    'spec: Invalid value: {"metadata":{"labels":{"a":"b"}},"spec":{"devices":{"requests":[]}}}: field is immutable',
  ],
]);

const result = { request: 'gpu', driver: 'x.io', pool: 'p', device: 'd' };
const consumer = { resource: 'pods', name: 'p', uid: '1' };
const allocation = { devices: { results: [result] } };
const status = (fields: object): object => ({ ...requests(gpu), status: fields });

checkStatusUpdate('claims', [
  [
    'given and taken',
    'ValidateResourceClaimStatusUpdate',
    CLAIM,
    status({}),
    status({ allocation, reservedFor: [consumer] }),
  ],
  [
    'taken before it is given',
    'validateResourceClaimStatusUpdate',
    CLAIM,
    status({}),
    status({ reservedFor: [consumer, { ...consumer, name: '' }] }),
    'status.reservedFor[1].name: Required value',
    'status.reservedFor[1]: Duplicate value: "1"',
    'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
  ],
  [
    'given anew',
    'validateResourceClaimStatusUpdate',
    CLAIM,
    status({ allocation }),
    status({ allocation: { devices: {} } }),
    'status.allocation: Invalid value: {"devices":{}}: field is immutable',
  ],
  [
    'taken by another one while it goes',
    'validateResourceClaimStatusUpdate',
    CLAIM,
    { ...status({ allocation, reservedFor: [consumer] }), metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
    {
      ...status({ allocation, reservedFor: [consumer, { ...consumer, uid: '2' }] }),
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
    },
    'status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
  ],
  [
    'devices that nobody asked for',
    'validateDeviceRequestAllocationResult',
    CLAIM,
    status({}),
    status({
      allocation: {
        devices: {
          results: [{ ...result, request: 'none', pool: '', shareID: 'X', bindingConditions: ['a'] }],
          config: [{ source: 'Elsewhere', opaque }],
        },
      },
    }),
    `status.allocation.devices.results[0].request: Invalid value: "none": ${REFERENCE}`,
    'status.allocation.devices.results[0].pool: Required value',
    'status.allocation.devices.results[0].shareID: Invalid value: "X": uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters',
    'status.allocation.devices.results[0].bindingFailureConditions: Invalid value: []: bindingFailureConditions are required to use bindingConditions',
    'status.allocation.devices.config[0].source: Unsupported value: "Elsewhere": supported values: "FromClaim", "FromClass"',
  ],
  [
    'what drivers tell of devices',
    'validateDeviceStatus',
    CLAIM,
    status({ allocation }),
    status({
      allocation,
      devices: [
        { driver: 'x.io', pool: 'p', device: 'd', conditions: null, networkData: { ips: ['10.0.0.1'] } },
        {
          driver: 'x.io',
          pool: 'p',
          device: 'e',
          conditions: [{ type: 'A', status: 'Yes', reason: 'a b', message: '', lastTransitionTime: null }],
        },
      ],
    }),
    'status.devices[0].networkData.ips[0]: Invalid value: "10.0.0.1": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
    'status.devices[1].conditions[0].status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"',
    'status.devices[1].conditions[0].lastTransitionTime: Required value',
    `status.devices[1].conditions[0].reason: Invalid value: "a b": a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')`,
    'status.devices[1]: Invalid value: "x.io/p/e": must be an allocated device in the claim',
  ],
]);

checkCreate('classes of devices', [
  ['right', 'ValidateDeviceClass', CLASS, { spec: { config: [{ opaque }], extendedResourceName: 'x.io/gpu' } }],
  [
    'wrong',
    'validateDeviceClassSpec',
    CLASS,
    { spec: { selectors: [{}], config: [{ opaque: { driver: '', parameters: null } }], extendedResourceName: 'cpu' } },
    'spec.selectors[0].cel: Required value',
    'spec.config[0].opaque.driver: Required value',
    'spec.config[0].opaque.parameters: Required value',
    'spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name',
  ],
]);

const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
const slice = (fields: object): object => ({ spec: { driver: 'x.io', pool, nodeName: 'n', ...fields } });
const device = (fields: object): object => slice({ devices: [{ name: 'd', ...fields }] });
const capacity = (policy: object): object =>
  device({ allowMultipleAllocations: true, capacity: { memory: { value: '10Gi', requestPolicy: policy } } });
const POLICY = 'spec.devices[0].capacity[memory].requestPolicy';

checkCreate('slices', [
  [
    'right',
    'ValidateResourceSlice',
    SLICE,
    device({
      attributes: { model: { string: 'a' }, 'x.io/v': { version: '1.2.3-a+b' } },
      capacity: { memory: { value: '1' } },
    }),
  ],
  [
    'everywhere and nowhere',
    'validateResourceSliceSpec',
    SLICE,
    slice({ nodeName: undefined, pool: { name: 'a/_', generation: -1, resourceSliceCount: 0 } }),
    `spec.pool.name: Invalid value: "_": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
    'spec.pool.generation: Invalid value: -1: must be greater than or equal to zero',
    'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
  ],
  [
    'in two places, counters beside devices',
    'validateResourceSliceSpec',
    SLICE,
    slice({ allNodes: true, devices: [], sharedCounters: [{ name: '', counters: {} }] }),
    'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
    'spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed',
    'spec.sharedCounters[0].name: Required value',
    'spec.sharedCounters[0].counters: Required value',
  ],
  [
    'attributes and taints',
    'validateDeviceAttribute',
    SLICE,
    device({
      attributes: { none: {}, two: { bool: true, int: 1 }, old: { version: '1.2' }, '/x': { ints: [] } },
      taints: [
        { key: 'a', effect: '' },
        { key: 'a', effect: 'Never' },
      ],
      allNodes: true,
    }),
    'spec.devices[0].attributes[none]: Invalid value: "": exactly one value must be specified',
    'spec.devices[0].attributes[two]: Invalid value: {"bool":true,"int":1}: exactly one value must be specified',
    'spec.devices[0].attributes[old].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0',
    'spec.devices[0].attributes: Invalid value: "": the domain must not be empty',
    'spec.devices[0].attributes[/x].ints: Invalid value: []: must not be empty if specified',
    'spec.devices[0].taints[0].effect: Required value',
    'spec.devices[0].taints[1].effect: Unsupported value: "Never": supported values: "NoExecute", "NoSchedule", "None"',
    'spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
  ],
  [
    'parts of a capacity by a list',
    'validateRequestPolicyValidValues',
    SLICE,
    capacity({ default: '3Gi', validValues: ['2Gi', '1Gi', '20Gi'] }),
    `${POLICY}.validValues[1]: Invalid value: "1Gi": values must be sorted in ascending order`,
    `${POLICY}.validValues[2]: Invalid value: "20Gi": option is larger than capacity value: 10Gi`,
    `${POLICY}.validValues: Invalid value: "3Gi": default value is not valid according to the requestPolicy`,
  ],
  [
    'parts of a capacity by a range',
    'validateRequestPolicyRange',
    SLICE,
    capacity({ default: '3Gi', validRange: { min: '2Gi', max: '5Gi', step: '2Gi' } }),
    `${POLICY}.validRange.step: Invalid value: "3Gi": value is not a multiple of a given step (2Gi) from (2Gi)`,
    `${POLICY}.validRange.step: Invalid value: "5Gi": value is not a multiple of a given step (2Gi) from (2Gi)`,
  ],
  [
    'parts of a capacity without a default',
    'validateValidRequestValues',
    SLICE,
    capacity({ default: null, validRange: { min: '1' } }),
    `${POLICY}.default: Required value: required when validRange is defined`,
  ],
]);

checkUpdate('slices', [
  [
    'another driver, pool and node',
    'ValidateResourceSliceUpdate',
    SLICE,
    slice({}),
    slice({ driver: 'y.io', pool: { ...pool, name: 'q' }, nodeName: 'm' }),
    'spec.pool.name: Invalid value: "q": field is immutable',
    'spec.driver: Invalid value: "y.io": field is immutable',
    'spec.nodeName: Invalid value: "m": field is immutable',
  ],
]);

const POLICIES: Kind = ['admissionregistration.k8s.io', 'ValidatingAdmissionPolicy', false];
checkStatusUpdate('admission policies', [
  [
    'conditions and warnings',
    'validateValidatingAdmissionPolicyStatus',
    POLICIES,
    { spec: {} },
    {
      spec: {},
      status: {
        typeChecking: { expressionWarnings: [{ fieldRef: '', warning: '' }] },
        conditions: [{ type: 'a', status: 'q', reason: '', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    },
    'status.typeChecking.expressionWarnings[0].warning: Required value',
    'status.typeChecking.expressionWarnings[0].fieldRef: Required value',
    'status.conditions[0].status: Unsupported value: "q": supported values: "False", "True", "Unknown"',
    'status.conditions[0].reason: Required value',
  ],
]);
