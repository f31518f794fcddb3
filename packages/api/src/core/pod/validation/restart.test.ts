import { checkSpecs, container } from '../../../testing/pod-spec-table.ts';

checkSpecs('restart and resize policies', [
  [
    'restart rules without a policy',
    'validateContainerRestartPolicy',
    container({ restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'Foo', values: [1] } }] }),
    'spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used',
    'spec.containers[0].restartPolicyRules[0].exitCodes.operator: Unsupported value: "Foo": supported values: "In", "NotIn"',
  ],
  [
    'action of a rule',
    'validateContainerRestartPolicy',
    container({
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Foo', exitCodes: { operator: 'In', values: [1] } }],
    }),
    'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "Foo": supported values: "Restart", "RestartAllContainers"',
  ],
  [
    'resize policy',
    'validateResizePolicy',
    {
      restartPolicy: 'Never',
      ...container({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }),
    },
    "spec.containers[0].resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when `restartPolicy` is 'Never'",
  ],
]);
