import type {
  FlowSchema,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  ResourcePolicyRule,
  Subject,
} from '@binnacle/api/flowcontrol/v1';

const API_VERSION = 'flowcontrol.apiserver.k8s.io/v1';
/** Says whether the server keeps an object's spec as it thinks right. */
export const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec';
export const CATCH_ALL = 'catch-all';
export const EXEMPT = 'exempt';

/** What the server keeps. Of mandatory objects nobody else has a say. */
export interface KeptObjects {
  readonly levels: readonly PriorityLevelConfiguration[];
  readonly schemas: readonly FlowSchema[];
}

/** Without these no request could be classified. Names and numbers are upstream's. */
export function mandatoryObjects(): KeptObjects {
  return {
    levels: [
      level(CATCH_ALL, {
        type: 'Limited',
        limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
      }),
      level(EXEMPT, { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
    ],
    schemas: [
      schema([EXEMPT, EXEMPT, 1], [rule(groups('system:masters'), [EVERYTHING], ['*'])]),
      schema([CATCH_ALL, CATCH_ALL, 10_000, 'ByUser'], [rule(EVERYBODY, [EVERYTHING], ['*'])]),
    ],
  };
}

/** What a cluster starts with beside them; an administrator may change it. */
export function suggestedObjects(): KeptObjects {
  const controllers = users('system:kube-controller-manager');
  const scheduler = users('system:kube-scheduler');
  const nodes = groups('system:nodes');
  return {
    levels: [
      queued('system', [30, 33], [64, 6]),
      queued('node-high', [40, 25], [64, 6]),
      queued('leader-election', [10, 0], [16, 4]),
      queued('workload-high', [40, 50], [128, 6]),
      queued('workload-low', [100, 90], [128, 6]),
      queued('global-default', [20, 50], [128, 6]),
    ],
    schemas: [
      schema(
        ['probes', EXEMPT, 2],
        [
          {
            subjects: EVERYBODY,
            nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
          },
        ],
      ),
      schema(
        ['system-leader-election', 'leader-election', 100, 'ByUser'],
        [
          {
            subjects: [...controllers, ...scheduler, SYSTEM_ACCOUNTS],
            resourceRules: [{ ...LEASES, verbs: ['get', 'create', 'update'] }],
          },
        ],
      ),
      schema(
        ['system-node-high', 'node-high', 400, 'ByUser'],
        [
          {
            subjects: nodes,
            resourceRules: [{ ...EVERYTHING, apiGroups: [''], resources: ['nodes', 'nodes/status'] }, LEASES],
          },
        ],
      ),
      schema(['system-nodes', 'system', 500, 'ByUser'], [rule(nodes, [EVERYTHING], ['*'])]),
      schema(
        ['kube-controller-manager', 'workload-high', 800, 'ByNamespace'],
        [rule(controllers, [EVERYTHING], ['*'])],
      ),
      schema(['kube-scheduler', 'workload-high', 800, 'ByNamespace'], [rule(scheduler, [EVERYTHING], ['*'])]),
      schema(
        ['kube-system-service-accounts', 'workload-high', 900, 'ByNamespace'],
        [rule([SYSTEM_ACCOUNTS], [EVERYTHING], ['*'])],
      ),
      schema(
        ['service-accounts', 'workload-low', 9000, 'ByUser'],
        [rule(groups('system:serviceaccounts'), [EVERYTHING], ['*'])],
      ),
      schema(['global-default', 'global-default', 9900, 'ByUser'], [rule(EVERYBODY, [EVERYTHING], ['*'])]),
    ],
  };
}

const EVERYTHING: ResourcePolicyRule = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
};
const LEASES: ResourcePolicyRule = {
  verbs: ['*'],
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  namespaces: ['*'],
};
const EVERYBODY = groups('system:unauthenticated', 'system:authenticated');
const SYSTEM_ACCOUNTS: Subject = { kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: 'kube-system' } };

type Rule = NonNullable<FlowSchema['spec']['rules']>[number];

function rule(
  subjects: readonly Subject[],
  resourceRules: readonly ResourcePolicyRule[],
  paths: readonly string[],
): Rule {
  return { subjects, resourceRules, nonResourceRules: [{ verbs: ['*'], nonResourceURLs: paths }] };
}

function groups(...names: readonly string[]): Subject[] {
  return names.map((name) => ({ kind: 'Group', group: { name } }));
}

function users(...names: readonly string[]): Subject[] {
  return names.map((name) => ({ kind: 'User', user: { name } }));
}

function metadataOf(name: string): { name: string; annotations: { [key: string]: string } } {
  return { name, annotations: { [AUTO_UPDATE]: 'true' } };
}

function level(name: string, spec: PriorityLevelConfigurationSpec): PriorityLevelConfiguration {
  return { apiVersion: API_VERSION, kind: 'PriorityLevelConfiguration', metadata: metadataOf(name), spec };
}

function queued(
  name: string,
  [nominalConcurrencyShares, lendablePercent]: readonly [shares: number, lendable: number],
  [queues, handSize]: readonly [queues: number, handSize: number],
): PriorityLevelConfiguration {
  const limitResponse = { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } };
  return level(name, { type: 'Limited', limited: { nominalConcurrencyShares, lendablePercent, limitResponse } });
}

function schema(
  [name, level, matchingPrecedence, method]: readonly [string, string, number, string?],
  rules: readonly Rule[],
): FlowSchema {
  return {
    apiVersion: API_VERSION,
    kind: 'FlowSchema',
    metadata: metadataOf(name),
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(method === undefined ? {} : { distinguisherMethod: { type: method } }),
      rules,
    },
  };
}
