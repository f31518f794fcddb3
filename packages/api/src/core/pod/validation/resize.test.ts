import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validatePodResize } from '../validation.ts';
import { CONTAINER, container, podOf, texts } from '../../../testing/pod-spec-table.ts';

const SMALL = { requests: { cpu: '100m', memory: '64Mi' } };
const sized = (resources: object): object => container({ resources });
const whole = (resources: object): object => ({ ...container({}), resources });
const ANEW = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
const withInit = (fields: object): object => ({
  ...sized(SMALL),
  initContainers: [{ ...CONTAINER, name: 'init', ...fields }],
});

// Provenance: upstream pkg/apis/core/validation/validation.go, ValidatePodResize.
describe('validation of a resized pod', () => {
  const rows: [name: string, before: object, after: object, ...errors: string[]][] = [
    ['nothing', sized(SMALL), sized(SMALL)],
    ['more of both', sized(SMALL), sized({ requests: { cpu: '200m', memory: '128Mi' } })],
    ['less memory', sized(SMALL), sized({ requests: { cpu: '100m', memory: '32Mi' } })],
    [
      'a request taken away',
      sized(SMALL),
      sized({ requests: { cpu: '100m' } }),
      'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
    ],
    [
      'limits taken away',
      sized({ ...SMALL, limits: { cpu: '1' } }),
      sized(SMALL),
      'spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed',
    ],
    [
      'another class of service',
      sized(SMALL),
      sized({ ...SMALL, limits: { ...SMALL.requests } }),
      'spec: Invalid value: "": Pod QOS Class may not change as a result of resizing',
    ],
    [
      'another resource',
      sized(SMALL),
      sized({ requests: { ...SMALL.requests, 'ephemeral-storage': '1Gi' } }),
      'spec: Forbidden: only cpu and memory resources are mutable',
    ],
    [
      'an init container',
      withInit({ resources: SMALL }),
      withInit({ resources: { requests: { ...SMALL.requests, cpu: '1' } } }),
    ],
    [
      'an init container that would have to start anew',
      withInit({ resources: SMALL, resizePolicy: ANEW }),
      withInit({ resources: { requests: { ...SMALL.requests, cpu: '1' } }, resizePolicy: ANEW }),
      'spec.initContainers[0]: Forbidden: non-sidecar init containers with a resize policy of RestartContainer cannot be resized',
    ],
    [
      'a request of an init container taken away',
      withInit({ resources: SMALL }),
      withInit({ resources: { requests: { cpu: '100m' } } }),
      'spec.initContainers[0].resources.requests: Forbidden: resource requests cannot be removed',
    ],
    [
      'another resource of an init container',
      withInit({ resources: SMALL }),
      withInit({ resources: { requests: { ...SMALL.requests, 'ephemeral-storage': '1Gi' } } }),
      'spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable',
    ],
    [
      'a sidecar',
      withInit({ restartPolicy: 'Always', resources: SMALL }),
      withInit({ restartPolicy: 'Always', resources: { requests: { ...SMALL.requests, cpu: '1' } } }),
    ],
  ];
  rows.push(
    ['the pod as a whole', whole(SMALL), whole({ requests: { cpu: '200m', memory: '32Mi' } })],
    [
      'the pod as a whole, for the first time',
      sized(SMALL),
      { ...whole({ requests: { cpu: '200m', memory: '128Mi' } }), ...sized(SMALL) },
    ],
    [
      'the pod as a whole, no more',
      { ...sized(SMALL), resources: SMALL },
      sized(SMALL),
      'spec.resources: Forbidden: pod-level resources cannot be removed',
    ],
    [
      'a request of the pod as a whole taken away',
      whole(SMALL),
      whole({ requests: { memory: '64Mi' } }),
      'spec.resources.requests: Forbidden: pod-level resource requests cannot be removed',
    ],
    [
      'limits of the pod as a whole taken away',
      whole({ ...SMALL, limits: { cpu: '1' } }),
      whole(SMALL),
      'spec.resources.limits: Forbidden: pod-level resource limits cannot be removed',
    ],
    [
      'another resource of the pod as a whole',
      whole(SMALL),
      whole({ requests: { ...SMALL.requests, 'hugepages-2Mi': '2Mi' }, limits: { 'hugepages-2Mi': '2Mi' } }),
      'spec: Forbidden: only cpu and memory resources are mutable at pod-level',
    ],
    [
      'a container more',
      sized(SMALL),
      {
        containers: [
          { ...CONTAINER, resources: SMALL },
          { ...CONTAINER, name: 'b' },
        ],
      },
      'spec.containers: Forbidden: containers may not be added or removed on resize',
    ],
    [
      'another name of an init container',
      withInit({}),
      withInit({ name: 'other' }),
      'spec.initContainers[0].name: Forbidden: initContainers may not be renamed or reordered on resize',
    ],
    [
      'another policy',
      sized(SMALL),
      container({ resources: SMALL, resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }),
      'spec: Forbidden: only cpu and memory resources are mutable',
    ],
  );
  for (const [name, before, after, ...errors] of rows) {
    it(name, () => {
      assert.deepEqual(texts(validatePodResize(podOf(after), podOf(before))), errors);
    });
  }

  it('refuses a node that cannot', () => {
    const status = { containerStatuses: [{ name: CONTAINER.name, state: { running: {} } }] };
    const before = { ...podOf(sized(SMALL)), status } as unknown as ReturnType<typeof podOf>;
    assert.deepEqual(texts(validatePodResize(podOf(sized(SMALL)), before)), [
      'spec: Forbidden: Pod running on node without support for resize',
    ]);
  });

  it('refuses static pods and windows', () => {
    const pod = podOf(sized(SMALL));
    const mirror = {
      ...pod,
      metadata: { ...pod.metadata, annotations: { 'kubernetes.io/config.mirror': 'x' } },
    };
    assert.match(texts(validatePodResize(pod, mirror)).join(), /static pods cannot be resized/);
    const windows = podOf({ ...sized(SMALL), os: { name: 'windows' } });
    assert.match(texts(validatePodResize(pod, windows)).join(), /windows pods cannot be resized/);
  });
});
