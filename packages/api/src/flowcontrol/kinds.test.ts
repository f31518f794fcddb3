import { checkCreate } from '../testing/kind-table.ts';
import type { Kind } from '../testing/kind-table.ts';

const SCHEMA: Kind = ['flowcontrol.apiserver.k8s.io', 'FlowSchema', false];
const LEVEL: Kind = ['flowcontrol.apiserver.k8s.io', 'PriorityLevelConfiguration', false];
const RULE = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] };
const schema = (fields: object): object => ({ spec: { priorityLevelConfiguration: { name: 'p' }, ...fields } });
const rule = (fields: object): object =>
  schema({ rules: [{ subjects: [{ kind: 'User', user: { name: 'u' } }], ...fields }] });
const queuing = (fields: object): object => ({
  spec: {
    type: 'Limited',
    limited: {
      limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50, ...fields } },
    },
  },
});
const AT = 'spec.rules[0]';

// Provenance: upstream pkg/apis/flowcontrol/validation/validation.go.
checkCreate('flow control', [
  ['right', 'ValidateFlowSchema', SCHEMA, rule({ resourceRules: [RULE] })],
  [
    'nothing',
    'ValidateFlowSchemaSpec',
    SCHEMA,
    { spec: { matchingPrecedence: -1, distinguisherMethod: { type: 'x' } } },
    'spec.matchingPrecedence: Invalid value: -1: must be a positive value',
    'spec.distinguisherMethod.type: Unsupported value: {"type":"x"}: supported values: "ByNamespace", "ByUser"',
    'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
  ],
  [
    'first of all',
    'ValidateFlowSchemaSpec',
    SCHEMA,
    schema({ matchingPrecedence: 1 }),
    "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
  ],
  [
    'empty rules',
    'ValidateFlowSchemaPolicyRulesWithSubjects',
    SCHEMA,
    schema({ rules: [{ subjects: null }] }),
    `${AT}.subjects: Required value: subjects must contain at least one value`,
    `${AT}: Required value: at least one of resourceRules and nonResourceRules has to be non-empty`,
  ],
  [
    'subjects',
    'ValidateFlowSchemaSubject',
    SCHEMA,
    rule({
      subjects: [
        { kind: 'constructor' },
        { kind: 'Group', user: { name: 'u' } },
        { kind: 'ServiceAccount', serviceAccount: { name: '*' } },
      ],
      resourceRules: [RULE],
    }),
    `${AT}.subjects[0].kind: Unsupported value: "constructor": supported values: "Group", "ServiceAccount", "User"`,
    `${AT}.subjects[1].group: Required value: group is required when subject kind is 'Group'`,
    `${AT}.subjects[1].user: Forbidden: user is forbidden when subject kind is not 'User'`,
    `${AT}.subjects[2].serviceAccount.namespace: Required value: must specify namespace for service account`,
  ],
  [
    'resources',
    'ValidateFlowSchemaResourcePolicyRule',
    SCHEMA,
    rule({
      resourceRules: [
        { verbs: ['*', 'get'], apiGroups: null, resources: ['*', 'x'], namespaces: null },
        { ...RULE, verbs: ['fly'] },
      ],
    }),
    `${AT}.resourceRules[0].verbs: Invalid value: ["*","get"]: if '*' is present, must not specify other verbs`,
    `${AT}.resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group`,
    `${AT}.resourceRules[0].resources: Invalid value: ["*","x"]: if '*' is present, must not specify other resources`,
    `${AT}.resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace`,
    `${AT}.resourceRules[1].verbs: Unsupported value: ["fly"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"`,
  ],
  [
    'paths',
    'ValidateNonResourceURLPath',
    SCHEMA,
    rule({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a/*', 'a'] }] }),
    `${AT}.nonResourceRules[0].nonResourceURLs[1]: Invalid value: "a": must start with slash`,
  ],
  ['right', 'ValidatePriorityLevelConfiguration', LEVEL, queuing({})],
  ['exempt', 'ValidatePriorityLevelConfiguration', LEVEL, { metadata: { name: 'exempt' }, spec: { type: 'Exempt' } }],
  [
    'exempt by another name',
    'ValidatePriorityLevelConfigurationSpec',
    LEVEL,
    { spec: { type: 'Exempt' } },
    "spec.type: Invalid value: \"Exempt\": type must be 'Exempt' if and only if `name` is 'exempt'",
  ],
  [
    'no limits',
    'ValidatePriorityLevelConfigurationSpec',
    LEVEL,
    { spec: { type: 'Limited' } },
    'spec.limited: Required value: must not be empty when type is Limited',
  ],
  [
    'a hand too large',
    'ValidatePriorityLevelQueuingConfiguration',
    LEVEL,
    queuing({ handSize: 65 }),
    'spec.limited.limitResponse.queuing.handSize: Invalid value: 65: should not be greater than queues (64)',
  ],
  [
    'more hands than a hash tells apart',
    'ValidatePriorityLevelQueuingConfiguration',
    LEVEL,
    queuing({ handSize: 12 }),
    'spec.limited.limitResponse.queuing.handSize: Invalid value: 12: required entropy bits of deckSize 64 and handSize 12 should not be greater than 60',
  ],
  [
    'a queue and none',
    'ValidateLimitResponse',
    LEVEL,
    { spec: { type: 'Limited', limited: { lendablePercent: 101, limitResponse: { type: 'Reject', queuing: {} } } } },
    'spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
    'spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited',
  ],
]);
