import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { quotaAmounts } from '@binnacle/api';
import type { QuotaEvaluator } from '@binnacle/api';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '@binnacle/api/core/v1';
import { StatusError } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { admissionOf } from '../../testing/admission.ts';
import { chargesOf } from './charge.ts';
import type { LimitedResource } from './limited-resource.ts';

interface Uses {
  readonly [name: string]: string;
}

/** Objects say what they use in their annotations, and which scopes they are in by a label. */
const EVALUATOR: QuotaEvaluator = {
  counts: (name) => ['things', 'size', 'constructor'].includes(name),
  usage: ({ metadata }) => quotaAmounts.amountsFrom(metadata.annotations),
  inScope: ({ metadata }, { scopeName }) => metadata.labels?.['scope'] === scopeName,
  unsaid: ({ metadata }, names) =>
    names.has('size') && metadata.annotations?.['size'] === undefined ? 'must specify size' : undefined,
};

function thing(uses: Uses, scope = 'None', stored = true): KubeObject {
  return {
    metadata: {
      namespace: 'a',
      name: 't',
      annotations: uses,
      labels: { scope },
      ...(stored ? { resourceVersion: '1' } : {}),
    },
  };
}

function quota(
  name: string,
  hard: Uses,
  more: { readonly used?: Uses; readonly scopes?: NonNullable<ResourceQuota['spec']>['scopes'] } = {},
): ResourceQuota {
  const zero = Object.fromEntries(Object.keys(hard).map((key) => [key, '0']));
  return {
    metadata: { name },
    spec: more.scopes === undefined ? {} : { scopes: more.scopes },
    status: { hard, used: more.used ?? zero },
  } as unknown as ResourceQuota;
}

interface Row {
  readonly name: string;
  readonly object: KubeObject;
  readonly before?: KubeObject;
  readonly quotas?: readonly ResourceQuota[];
  readonly limited?: readonly LimitedResource[];
  readonly wanted: string;
}

const LIMITED: LimitedResource = { apiGroup: '', resource: 'pods', matchContains: ['siz'], matchScopes: [] };
const scoped = (scopeName: ScopedResourceSelectorRequirement['scopeName']): ScopedResourceSelectorRequirement => ({
  scopeName,
  operator: 'Exists',
});

const ROWS: readonly Row[] = [
  { name: 'no quotas', object: thing({ things: '1' }), wanted: '' },
  {
    name: 'each quota what it counts',
    object: thing({ things: '1', size: '2Gi' }),
    quotas: [quota('q', { things: '5' }), quota('r', { size: '9Gi', things: '2' })],
    wanted: 'q things=1; r size=2Gi,things=1',
  },
  {
    name: 'what the quota does not name is free',
    object: thing({ things: '1' }),
    quotas: [quota('q', { pods: '1' })],
    wanted: '',
  },
  {
    name: 'what uses nothing of it',
    object: thing({ things: '0', size: '0' }),
    quotas: [quota('q', { things: '1', size: '1' })],
    wanted: '',
  },
  {
    name: 'what has to be said',
    object: thing({ things: '1' }),
    quotas: [quota('q', { size: '1' })],
    wanted: 'pods "t" is forbidden: failed quota: q: must specify size',
  },
  {
    name: 'what nobody has counted yet',
    object: thing({ things: '1', size: '1' }),
    quotas: [quota('q', { things: '1', size: '1' }, { used: { things: '0' } })],
    wanted: 'pods "t" is forbidden: status unknown for quota: q, resources: size,things',
  },
  {
    name: 'less than nothing',
    object: thing({ things: '1', size: '-1' }),
    quotas: [quota('q', { things: '9' })],
    wanted: 'pods "t" is forbidden: quota usage is negative for resource(s): size',
  },
  {
    name: 'a change by what it grows',
    object: thing({ things: '1', size: '5' }),
    before: thing({ things: '1', size: '2' }),
    quotas: [quota('q', { things: '1', size: '9' })],
    wanted: 'q size=3',
  },
  {
    name: 'a change that shrinks',
    object: thing({ things: '1', size: '1' }),
    before: thing({ things: '1', size: '2' }),
    quotas: [quota('q', { things: '1', size: '9' })],
    wanted: '',
  },
  {
    name: 'an update that makes the object counts whole',
    object: thing({ things: '1' }),
    before: thing({ things: '1' }, 'None', false),
    quotas: [quota('q', { things: '1' })],
    wanted: 'q things=1',
  },
  {
    name: 'in its scope',
    object: thing({ things: '1' }, 'BestEffort'),
    quotas: [
      quota('q', { things: '1' }, { scopes: ['BestEffort'] }),
      quota('r', { things: '1' }, { scopes: ['Terminating'] }),
    ],
    wanted: 'q things=1',
  },
  {
    name: 'what comes into a scope counts whole there, and no more elsewhere',
    object: thing({ things: '1' }, 'BestEffort'),
    before: thing({ things: '1' }),
    quotas: [quota('q', { things: '1' }, { scopes: ['BestEffort'] }), quota('r', { things: '1' })],
    wanted: 'q things=1',
  },
  {
    name: 'what is limited and nothing covers',
    object: thing({ things: '1', size: '1' }),
    quotas: [quota('q', { things: '5' })],
    limited: [LIMITED],
    wanted: 'pods "t" is forbidden: insufficient quota to consume: size',
  },
  {
    name: 'what is limited and covered',
    object: thing({ size: '1' }),
    quotas: [quota('q', { size: '5' })],
    limited: [LIMITED],
    wanted: 'q size=1',
  },
  {
    name: 'what is limited for others',
    object: thing({ size: '1' }),
    limited: [
      { ...LIMITED, resource: 'services' },
      { ...LIMITED, apiGroup: 'apps' },
    ],
    wanted: '',
  },
  {
    name: 'a scope that is limited and no quota is about',
    object: thing({ things: '1' }, 'PriorityClass'),
    quotas: [quota('q', { things: '5' })],
    limited: [
      {
        ...LIMITED,
        matchContains: [],
        matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['a', 'b'] }],
      },
    ],
    wanted: 'pods "t" is forbidden: insufficient quota to match these scopes: [{PriorityClass In [a b]}]',
  },
  {
    name: 'a scope that is limited and some quota is about',
    object: thing({ things: '1' }, 'PriorityClass'),
    quotas: [quota('q', { things: '5' }, { scopes: ['PriorityClass'] })],
    limited: [{ ...LIMITED, matchContains: [], matchScopes: [scoped('PriorityClass')] }],
    wanted: 'q things=1',
  },
  {
    name: 'a scope that is limited for others',
    object: thing({ things: '1' }),
    limited: [{ ...LIMITED, matchContains: [], matchScopes: [scoped('PriorityClass')] }],
    wanted: '',
  },
  {
    name: 'an amount called like a member of every object',
    object: thing({ constructor: '2' }),
    quotas: [quota('q', { constructor: '5' })],
    wanted: 'q constructor=2',
  },
];

describe('what a request has to be charged to which quota', () => {
  for (const { name, object, before, quotas = [], limited = [], wanted } of ROWS) {
    test(name, () => {
      const operation = before === undefined ? 'CREATE' : 'UPDATE';
      const attributes = admissionOf({
        operation,
        resource: 'pods',
        object,
        ...(before === undefined ? {} : { before }),
      });
      const outcome = (): string => {
        try {
          return chargesOf({ attributes, evaluator: EVALUATOR, limited, nowMs: 0 }, quotas)
            .map((charge) => `${charge.quota} ${quotaAmounts.shownAmounts(charge.amounts)}`)
            .join('; ');
        } catch (error) {
          if (error instanceof StatusError) return error.message;
          throw error;
        }
      };
      assert.equal(outcome(), wanted);
    });
  }
});
