import { checkSpecs, container } from '../../../testing/pod-spec-table.ts';

checkSpecs('resources of containers', [
  [
    'a request of a name that objects inherit',
    'validateContainerResourceName',
    container({ resources: { requests: { constructor: '1' } as unknown as { [name: string]: string } } }),
    'spec.containers[0].resources.requests[constructor]: Invalid value: "constructor": must be a standard resource type or fully qualified',
    'spec.containers[0].resources.requests[constructor]: Invalid value: "constructor": must be a standard resource for containers',
  ],
  [
    'requests above limits',
    'validateResourceRequirements',
    container({ resources: { requests: { cpu: '2' }, limits: { cpu: '1500m' } } }),
    'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1500m',
  ],
  [
    'a negative amount',
    'ValidateNonnegativeQuantity',
    container({ resources: { requests: { memory: '-1' } } }),
    'spec.containers[0].resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0',
  ],
  [
    'an unknown resource',
    'validateContainerResourceName',
    container({ resources: { limits: { foo: '1' } } }),
    'spec.containers[0].resources.limits[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
    'spec.containers[0].resources.limits[foo]: Invalid value: "foo": must be a standard resource for containers',
    'spec.containers[0].resources.requests[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
    'spec.containers[0].resources.requests[foo]: Invalid value: "foo": must be a standard resource for containers',
  ],
  [
    'half a device',
    'ValidateResourceQuantityValue',
    container({ resources: { limits: { 'example.com/gpu': '500m' } } }),
    'spec.containers[0].resources.limits[example.com/gpu]: Invalid value: "500m": must be an integer',
    'spec.containers[0].resources.requests[example.com/gpu]: Invalid value: "500m": must be an integer',
  ],
  [
    'huge pages alone',
    'validateResourceRequirements',
    container({ resources: { limits: { 'hugepages-2Mi': '4Mi' } } }),
    'spec.containers[0].resources: Forbidden: HugePages require cpu or memory',
  ],
  [
    'a device that is not limited',
    'validateResourceRequirements',
    container({ resources: { requests: { 'example.com/gpu': '1' } } }),
    'spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources',
  ],
  [
    'part of a page',
    'validateResourceQuantityHugePageValue',
    container({ resources: { limits: { cpu: '1', 'hugepages-2Mi': '3Mi' } } }),
    'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
    'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
  ],
  [
    'a claim of nobody',
    'validateResourceClaimNames',
    container({ resources: { claims: [{ name: 'x' }] } }),
    'spec.containers[0].resources.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty',
  ],
  [
    'the same amount in other words',
    'validateResourceRequirements',
    container({ resources: { requests: { cpu: '1000m' }, limits: { cpu: '1' } } }),
  ],
]);
