import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../../generated/core-v1.ts';
import { names } from '@binnacle/machinery';
import { validatePodStatusUpdate } from '../validation.ts';
import { podOf, texts } from '../../../testing/pod-spec-table.ts';

// Provenance: upstream pkg/apis/core/validation/validation.go.
describe('validation of a pod’s status', () => {
  const never = (status: object, spec: object = {}): Pod => podOf({ restartPolicy: 'Never', ...spec }, {}, status);
  const ended = { containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 0 } } }] };
  const running = { containerStatuses: [{ name: 'c', state: { running: {} } }] };
  const rules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }];
  const ANEW = { containers: [{ name: 'c' }, { name: 'd', restartPolicy: 'Never', restartPolicyRules: rules }] };

  const CLAIMING = { resourceClaims: [{ name: 'a' }, { name: 'b' }] };
  const RESOURCEFUL = { containers: [{ name: 'c', resources: { requests: { 'x.io/gpu': '1' } } }] };
  const extended = (
    resourceClaimName: string,
    ...mappings: readonly (readonly [string, string, string])[]
  ): object => ({
    extendedResourceClaimStatus: {
      resourceClaimName,
      requestMappings: mappings.map(([containerName, resourceName, requestName]) => ({
        containerName,
        resourceName,
        requestName,
      })),
    },
  });
  const [SUBDOMAIN = ''] = names.subdomainErrors('P');
  const [LABEL = ''] = names.dnsLabelErrors('R');

  const rows: [name: string, upstream: string, before: Pod, after: Pod, ...errors: string[]][] = [
    ['nothing', 'ValidatePodStatusUpdate', never({}), never({})],
    [
      'back from the dead with all the others',
      'ValidateContainerStateTransition',
      never(ended, ANEW),
      never(running, ANEW),
    ],
    [
      'back from the dead',
      'ValidateContainerStateTransition',
      never(ended),
      never(running),
      'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
    ],
    ['restarted', 'ValidateContainerStateTransition', podOf({}, {}, ended), podOf({}, {}, running)],
    [
      'another node',
      'ValidatePodStatusUpdate',
      never({}),
      never({}, { nodeName: 'n' }),
      'status.nodeName: Forbidden: may not be changed directly',
    ],
    [
      'a nomination of a pod that is bound',
      'ValidatePodStatusUpdate',
      never({}, { nodeName: 'n' }),
      never({ nominatedNodeName: 'm' }, { nodeName: 'n' }),
      'status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node',
    ],
    [
      'a nomination before, and its end after the binding',
      'ValidatePodStatusUpdate',
      never({ nominatedNodeName: 'm' }, { nodeName: 'n' }),
      never({}, { nodeName: 'n' }),
    ],
    [
      'QoS class',
      'ValidatePodStatusUpdate',
      never({ qosClass: 'BestEffort' }),
      never({ qosClass: 'Burstable' }),
      'status.qosClass: Invalid value: "Burstable": field is immutable',
    ],
    [
      'claims that were made for it',
      'validatePodResourceClaimStatuses',
      never({}, CLAIMING),
      never({ resourceClaimStatuses: [{ name: 'a', resourceClaimName: 'p-a-x' }, { name: 'b' }] }, CLAIMING),
    ],
    [
      'claims that it does not declare, twice, by names that are none',
      'validatePodResourceClaimStatuses',
      never({}, CLAIMING),
      never(
        {
          resourceClaimStatuses: [{ name: 'c' }, { name: 'a', resourceClaimName: 'P' }, { name: 'a' }],
        },
        CLAIMING,
      ),
      'status.resourceClaimStatuses[0].name: Invalid value: "c": must match the name of an entry in `spec.resourceClaims`',
      `status.resourceClaimStatuses[1].resourceClaimName: Invalid value: "P": ${SUBDOMAIN}`,
      'status.resourceClaimStatuses[2].name: Duplicate value: "a"',
    ],
    [
      'a claim for its extended resources',
      'validatePodExtendedResourceClaimStatus',
      never({}, RESOURCEFUL),
      never(extended('p-extended-resources-x', ['c', 'x.io/gpu', 'container-0-request-0']), RESOURCEFUL),
    ],
    [
      'a claim for extended resources that it does not ask for',
      'validatePodExtendedResourceClaimStatus',
      never({}, RESOURCEFUL),
      never(
        extended('', ['d', 'x.io/gpu', 'r'], ['c', 'x.io/tpu', 'R'], ['c', 'x.io/gpu', 'r'], ['c', 'x.io/gpu', 'r']),
        RESOURCEFUL,
      ),
      'status.extendedResourceClaimStatus.requestMappings[0].containerName: Invalid value: "d": must match the name of an entry in spec.initContainers.name or spec.containers.name',
      'status.extendedResourceClaimStatus.requestMappings[1].resourceName: Invalid value: "x.io/tpu": must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests',
      `status.extendedResourceClaimStatus.requestName: Invalid value: "R": ${LABEL}`,
      'status.extendedResourceClaimStatus.requestMappings[3].containerName: Duplicate value: "c"',
      'status.extendedResourceClaimStatus.requestMappings[3].resourceName: Duplicate value: "x.io/gpu"',
      'status.extendedResourceClaimStatus.requestMappings[3].requestName: Duplicate value: "r"',
      'status.extendedResourceClaimStatus.resourceClaimName: Required value',
    ],
    [
      'a claim for nothing',
      'validatePodExtendedResourceClaimStatus',
      never({}, RESOURCEFUL),
      never(extended('x'), RESOURCEFUL),
      'status.extendedResourceClaimStatus.requestMappings: Required value: at least one request mapping is required',
    ],
    [
      'two addresses of a family',
      'validatePodIPs',
      never({}),
      never({ podIPs: [{ ip: '1.1.1.1' }, { ip: '1.1.1.2' }] }),
      'status.podIPs: Invalid value: [{"ip":"1.1.1.1"},{"ip":"1.1.1.2"}]: may specify no more than one IP for each IP family',
    ],
  ];
  for (const [name, upstream, before, after, ...errors] of rows) {
    it(`${name} (${upstream})`, () => assert.deepEqual(texts(validatePodStatusUpdate(after, before)), errors));
  }
});
