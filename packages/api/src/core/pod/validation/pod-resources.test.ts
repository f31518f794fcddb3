import { checkSpecs, container } from '../../../testing/pod-spec-table.ts';

checkSpecs('resources of a pod', [
  [
    'pod resources below those of containers',
    'validatePodResourceConsistency',
    { resources: { requests: { cpu: '1' } }, ...container({ resources: { requests: { cpu: '1500m' } } }) },
    'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 1500m',
  ],
  [
    'pod resources below those of an init container beside a sidecar',
    'validatePodResourceConsistency',
    {
      resources: { requests: { cpu: '2' } },
      ...container({ resources: { requests: { cpu: '1' } } }),
      initContainers: [
        { name: 's', image: 'i', restartPolicy: 'Always', resources: { requests: { cpu: '500m' } } },
        { name: 'i', image: 'i', resources: { requests: { cpu: '100' } } },
      ],
    },
    'spec.resources.requests[cpu]: Invalid value: "2": must be greater than or equal to aggregate container requests of 100500m',
  ],
  [
    'a container above its pod',
    'validatePodResourceConsistency',
    {
      resources: { limits: { cpu: '1' }, requests: { cpu: '1' } },
      ...container({ resources: { limits: { cpu: '2' }, requests: { cpu: '1' } } }),
    },
    'spec.resources.containers[0][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1',
  ],
  [
    'a resource that pods do not have',
    'validatePodResourceName',
    { resources: { limits: { 'ephemeral-storage': '1' } } },
    'spec.resources.limits[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "hugepages-", "memory"',
  ],
]);
