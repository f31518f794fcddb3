import { CONTAINER, LABEL, checkSpecs, container } from '../../../testing/pod-spec-table.ts';

checkSpecs('containers', [
  ['no containers', 'validateContainers', { containers: [] }, 'spec.containers: Required value'],
  ['no name', 'validateContainerCommon', container({ name: '' }), 'spec.containers[0].name: Required value'],
  ['no image', 'validateContainerCommon', container({ image: '' }), 'spec.containers[0].image: Required value'],
  [
    'a name that is no label',
    'validateContainerCommon',
    container({ name: 'A_b' }),
    `spec.containers[0].name: Invalid value: "A_b": ${LABEL}`,
  ],
  [
    'two of a name',
    'validateContainers',
    { containers: [CONTAINER, CONTAINER] },
    'spec.containers[1].name: Duplicate value: "c"',
  ],
  [
    'spaces around an image',
    'validateContainerOnlyForPod',
    container({ image: ' a' }),
    'spec.containers[0].image: Invalid value: " a": must not have leading or trailing whitespace',
  ],
  [
    'pull policy',
    'validatePullPolicy',
    container({ imagePullPolicy: 'Foo' }),
    'spec.containers[0].imagePullPolicy: Unsupported value: "Foo": supported values: "Always", "IfNotPresent", "Never"',
  ],
  [
    'message policy',
    'validateContainerCommon',
    container({ terminationMessagePolicy: 'Foo' }),
    'spec.containers[0].terminationMessagePolicy: Unsupported value: "Foo": supported values: "File", "FallbackToLogsOnError"',
  ],
  [
    'probe of an init container',
    'validateInitContainers',
    { initContainers: [{ ...CONTAINER, name: 'i', livenessProbe: { exec: { command: ['a'] } } }] },
    'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
  ],
  [
    'probe of a sidecar',
    'validateInitContainers',
    {
      initContainers: [
        { ...CONTAINER, name: 'i', restartPolicy: 'Always', livenessProbe: { exec: { command: ['a'] } } },
      ],
    },
  ],
  [
    'two init containers of a name',
    'validateInitContainers',
    { initContainers: [CONTAINER] },
    'spec.initContainers[0].name: Duplicate value: "c"',
  ],
]);
