import { checkSpecs, container } from '../../../testing/pod-spec-table.ts';

checkSpecs('environment variables', [
  ['no name of a variable', 'ValidateEnv', container({ env: [{}] }), 'spec.containers[0].env[0].name: Required value'],
  [
    'a variable from nowhere',
    'validateEnvVarValueFrom',
    container({ env: [{ name: 'A', valueFrom: {} }] }),
    'spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
  ],
  [
    'a variable with value and source',
    'validateEnvVarValueFrom',
    container({ env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
    'spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
  ],
  [
    'a field that variables cannot show',
    'validateObjectFieldSelector',
    container({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } }] }),
    'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
  ],
  [
    'a field that nobody has',
    'validateObjectFieldSelector',
    container({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.whoops' } } }] }),
    'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.whoops": error converting fieldPath: field label not supported: metadata.whoops',
  ],
  [
    'an annotation by key',
    'validateObjectFieldSelector',
    container({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['My/Key']" } } }] }),
  ],
  [
    'a secret key without a key',
    'validateSecretKeySelector',
    container({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's' } } }] }),
    'spec.containers[0].env[0].valueFrom.secretKeyRef.key: Required value',
  ],
  [
    'envFrom nowhere',
    'ValidateEnvFrom',
    container({ envFrom: [{}] }),
    'spec.containers[0].envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
  ],
  [
    'two sources',
    'validateEnvVarValueFrom',
    container({
      env: [
        {
          name: 'A',
          valueFrom: { fieldRef: { fieldPath: 'metadata.name' }, secretKeyRef: { name: 's', key: 'k' } },
        },
      ],
    }),
    'spec.containers[0].env[0].valueFrom: Invalid value: "": may not have more than one field specified at a time',
  ],
  [
    'subscript where there is none',
    'ConvertDownwardAPIFieldLabel',
    container({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.name['a']" } } }] }),
    "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"metadata.name['a']\": error converting fieldPath: field label does not support subscript: metadata.name['a']",
  ],
  [
    'resource of a container',
    'validateContainerResourceFieldSelector',
    container({ env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.foo' } } }] }),
    'spec.containers[0].env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.foo": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
  ],
  [
    'divisor',
    'validateContainerResourceDivisor',
    container({ env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '2' } } }] }),
    'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
  ],
  [
    'no name of a config map',
    'validateConfigMapEnvSource',
    container({ envFrom: [{ configMapRef: {} }] }),
    'spec.containers[0].envFrom[0].configMapRef.name: Required value',
  ],
]);
