import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../../generated/core-v1.ts';
import { validatePodStatusUpdate } from '../validation.ts';
import { podOf, texts } from '../../../testing/pod-spec-table.ts';

// Provenance: upstream pkg/apis/core/validation/validation.go.
describe('validation of a pod’s status', () => {
  const never = (status: object, spec: object = {}): Pod => podOf({ restartPolicy: 'Never', ...spec }, {}, status);
  const ended = { containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 0 } } }] };
  const running = { containerStatuses: [{ name: 'c', state: { running: {} } }] };
  const rules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }];
  const ANEW = { containers: [{ name: 'c' }, { name: 'd', restartPolicy: 'Never', restartPolicyRules: rules }] };

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
