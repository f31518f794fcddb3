import { checkCreate } from '../testing/kind-table.ts';
import { INDEXED, JOB, jobWith } from '../testing/job-table.ts';

const failing = (...rules: object[]): object => jobWith({ podFailurePolicy: { rules } });
const exit = (fields: object): object =>
  failing({ action: 'FailJob', onExitCodes: { operator: 'In', values: [1], ...fields } });
const succeeding = (rule: object): object => jobWith({ ...INDEXED, successPolicy: { rules: [rule] } });
const AT = 'spec.podFailurePolicy.rules[0]';
const WON = 'spec.successPolicy.rules[0]';

// Provenance: upstream pkg/apis/batch/validation/validation.go.
checkCreate('policies of jobs', [
  ['exit codes of a container', 'validatePodFailurePolicyRule', JOB, exit({ containerName: 'c', values: [1, 5] })],
  [
    'no action, no reason',
    'validatePodFailurePolicyRule',
    JOB,
    failing({ action: '' }),
    `${AT}.action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`,
    `${AT}: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`,
  ],
  [
    'an unknown action, both reasons',
    'validatePodFailurePolicyRule',
    JOB,
    failing({
      action: 'Foo',
      onExitCodes: { operator: 'In', values: [1] },
      onPodConditions: [{ type: 'DisruptionTarget' }],
    }),
    `${AT}.action: Unsupported value: "Foo": supported values: "Count", "FailIndex", "FailJob", "Ignore"`,
    `${AT}: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported`,
  ],
  [
    'failing an index without limits',
    'validatePodFailurePolicyRule',
    JOB,
    failing({ action: 'FailIndex', onPodConditions: [{ type: 'DisruptionTarget', status: 'Foo' }] }),
    `${AT}.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`,
    `${AT}.onPodConditions[0].status: Unsupported value: "Foo": supported values: "False", "True", "Unknown"`,
  ],
  [
    'wrong exit codes',
    'validatePodFailurePolicyRuleOnExitCodes',
    JOB,
    exit({ containerName: 'd', values: [3, 0, 3] }),
    `${AT}.onExitCodes.containerName: Invalid value: "d": must be one of the container or initContainer names in the pod template`,
    `${AT}.onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator`,
    `${AT}.onExitCodes.values[2]: Duplicate value: 3`,
    `${AT}.onExitCodes.values: Invalid value: [3,0,3]: must be ordered`,
  ],
  [
    'no exit codes',
    'validatePodFailurePolicyRuleOnExitCodes',
    JOB,
    exit({ operator: '', values: [] }),
    `${AT}.onExitCodes.operator: Required value: valid values: ["In" "NotIn"]`,
    `${AT}.onExitCodes.values: Invalid value: []: at least one value is required`,
  ],
  ['success of some', 'validateSuccessPolicyRule', JOB, succeeding({ succeededIndexes: '0-1', succeededCount: 2 })],
  [
    'success of nothing',
    'validateSuccessPolicyRule',
    JOB,
    succeeding({}),
    `${WON}: Required value: at least one of succeededCount or succeededIndexes must be specified`,
  ],
  [
    'success of more than there are',
    'validateSuccessPolicyRule',
    JOB,
    succeeding({ succeededIndexes: '0', succeededCount: 4 }),
    `${WON}.succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of specified completions)`,
    `${WON}.succeededCount: Invalid value: 4: must be less than or equal to 1 (the number of indexes in the specified succeededIndexes field)`,
  ],
  [
    'no rules, wrong indexes',
    'validateSuccessPolicy',
    JOB,
    succeeding({ succeededIndexes: '9' }),
    `${WON}.succeededIndexes: Invalid value: "9": error parsing succeededIndexes: too large index: "9"`,
  ],
  [
    'without indexes',
    'validateJobSpec',
    JOB,
    jobWith({ successPolicy: { rules: [] } }),
    'spec.successPolicy: Invalid value: {"rules":[]}: requires indexed completion mode',
  ],
]);
