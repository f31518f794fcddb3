import { checkSpecs } from '../../../testing/pod-spec-table.ts';

const TERM = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]';

const required = (...nodeSelectorTerms: object[]): object => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});

checkSpecs('affinity', [
  [
    'node affinity without terms',
    'ValidateNodeSelector',
    { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
    'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term',
  ],
  [
    'weight',
    'ValidatePreferredSchedulingTerms',
    {
      affinity: {
        nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, preference: {} }] },
      },
    },
    'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100',
  ],
  [
    'pod affinity without topology',
    'validatePodAffinityTerm',
    { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: '' }] } } },
    'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty',
    'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must be non-empty',
    "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ],
  [
    'In without values',
    'ValidateNodeSelectorRequirement',
    required({ matchExpressions: [{ key: 'a', operator: 'In' }] }),
    `${TERM}.matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
  ],
  [
    'Gt of two',
    'ValidateNodeSelectorRequirement',
    required({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1', '2'] }] }),
    `${TERM}.matchExpressions[0].values: Required value: must be specified single value when \`operator\` is 'Lt' or 'Gt'`,
  ],
  [
    'unknown operator',
    'ValidateNodeSelectorRequirement',
    required({ matchExpressions: [{ key: 'a', operator: 'Foo' }] }),
    `${TERM}.matchExpressions[0].operator: Invalid value: "Foo": not a valid selector operator`,
  ],
  [
    'another field',
    'ValidateNodeFieldSelectorRequirement',
    required({ matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['a'] }] }),
    `${TERM}.matchFields[0].key: Invalid value: "metadata.uid": not a valid field selector key`,
  ],
]);
