import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CLUSTER_ROLES, ROLE_BINDINGS } from '@binnacle/api';
import { createRbacAuthorizer } from '../../access/rbac/rbac-authorizer.ts';
import { RbacIndex } from '../../access/rbac/rbac-index.ts';
import type { RequestAttributes } from '../../ports/authorization.ts';
import { nodeUser } from '../../access/users.ts';
import { post, virtualWorld } from '../../testing/handlers.ts';
import {
  createAccessReviewHandler,
  createRulesReviewHandler,
  createSelfAccessReviewHandler,
} from './access-reviews.ts';

const { cache } = virtualWorld();
cache.put(CLUSTER_ROLES, {
  metadata: { name: 'r' },
  rules: [
    { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
    { verbs: ['get'], nonResourceURLs: ['/x'] },
  ],
} as never);
const roleRef = { kind: 'ClusterRole', name: 'r' };
cache.put(ROLE_BINDINGS, {
  metadata: { namespace: 'a', name: 'b' },
  roleRef,
  subjects: [{ kind: 'User', name: 'alice' }],
} as never);
const index = new RbacIndex(cache);
const authorizer = createRbacAuthorizer(index);
const RESOURCE = 'subjectaccessreviews.authorization.k8s.io';
const POD = { verb: 'get', resource: 'pods', namespace: 'a' };
const local = createAccessReviewHandler(authorizer, 'LocalSubjectAccessReview');
const any = createAccessReviewHandler(authorizer, 'SubjectAccessReview');
const statusOf = (answer: object): unknown => (answer as { status?: unknown }).status;

test('yes with the reason, no with what is wrong', async () => {
  const yes = await post(any, RESOURCE, { body: { metadata: {}, spec: { user: 'alice', resourceAttributes: POD } } });
  assert.deepEqual(statusOf(yes), {
    allowed: true,
    reason: 'RBAC: allowed by RoleBinding "b/a" of ClusterRole "r" to User "alice"',
  });
  const no = await post(any, RESOURCE, { body: { metadata: {}, spec: { groups: ['g'], resourceAttributes: POD } } });
  assert.deepEqual(statusOf(no), { allowed: false });
});

test('about the caller', async () => {
  const handler = createSelfAccessReviewHandler(authorizer);
  const user = { name: 'alice', groups: [] };
  const answer = await post(handler, RESOURCE, {
    user,
    body: { metadata: {}, spec: { resourceAttributes: { ...POD, namespace: 'b' } } },
  });
  assert.deepEqual(statusOf(answer), { allowed: false });
});

test('the rules of the caller; those of a node are not all', async () => {
  const handler = createRulesReviewHandler(index);
  const body = { metadata: {}, spec: { namespace: 'a' } };
  const answer = await post(handler, RESOURCE, { user: { name: 'alice', groups: [] }, body });
  assert.deepEqual(statusOf(answer), {
    resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
    incomplete: false,
  });
  const node = await post(handler, RESOURCE, { user: nodeUser('n1'), body });
  assert.equal((statusOf(node) as { incomplete: boolean }).incomplete, true);
  await assert.rejects(post(handler, RESOURCE, { body: { metadata: {}, spec: {} } }), {
    message: 'no namespace on request',
  });
});

describe('refused', () => {
  const head = 'SubjectAccessReview.authorization.k8s.io "" is invalid: ';
  const rows: readonly (readonly [string, object, string])[] = [
    [
      'nobody',
      { resourceAttributes: POD },
      `${head}spec.user: Invalid value: "": at least one of user or group must be specified`,
    ],
    [
      'nothing',
      { user: 'u' },
      `${head}spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified`,
    ],
    [
      'both',
      { user: 'u', resourceAttributes: POD, nonResourceAttributes: { path: '/' } },
      `${head}spec.nonResourceAttributes: Invalid value: {"path":"/"}: cannot be specified in combination with resourceAttributes`,
    ],
    [
      'selectors that say it twice, or nothing',
      {
        user: 'u',
        resourceAttributes: {
          ...POD,
          fieldSelector: { rawSelector: 'a=b', requirements: [{ key: '', operator: 'In' }] },
          labelSelector: {},
        },
      },
      `${head}[${[
        'spec.resourceAttributes.fieldSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements',
        'spec.resourceAttributes.fieldSelector.requirements[0].key: Required value: must be specified',
        "spec.resourceAttributes.fieldSelector.requirements[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        'spec.resourceAttributes.labelSelector.requirements: Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required',
      ].join(', ')}]`,
    ],
    [
      'a label that is none, of an operator that nobody knows',
      {
        user: 'u',
        resourceAttributes: {
          ...POD,
          labelSelector: { requirements: [{ key: '/a', operator: 'Newer', values: ['b'] }] },
        },
      },
      `${head}spec.resourceAttributes.labelSelector.requirements[0].key: Invalid value: "/a": prefix part must be non-empty`,
    ],
  ];
  for (const [name, spec, message] of rows) {
    test(name, async () =>
      assert.rejects(async () => post(any, RESOURCE, { body: { metadata: {}, spec } }), { message }),
    );
  }
  test('another namespace than the review’s', async () => {
    const body = { metadata: {}, spec: { user: 'alice', resourceAttributes: POD } };
    await assert.rejects(async () => post(local, RESOURCE, { namespace: 'b', body }), {
      message:
        'LocalSubjectAccessReview.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "a": must match metadata.namespace',
    });
  });
});

describe('selectors of a review', () => {
  const asked: RequestAttributes[] = [];
  const listening = createAccessReviewHandler(
    {
      authorize(attributes) {
        asked.push(attributes);
        return { decision: 'noOpinion', reason: '' };
      },
    },
    'SubjectAccessReview',
  );
  const PARTLY = (name: string): string => `spec.resourceAttributes.${name} partially ignored due to parse error`;
  const IGNORED = (name: string): string => `spec.resourceAttributes.${name} ignored due to parse error`;
  const rows: readonly (readonly [string, object, readonly [fields?: string, labels?: string], string?])[] = [
    ['none', {}, []],
    [
      'as text',
      { fieldSelector: { rawSelector: 'a=b' }, labelSelector: { rawSelector: 'c in (d,e)' } },
      ['a=b', 'c in (d,e)'],
    ],
    [
      'as requirements',
      {
        fieldSelector: {
          requirements: [
            { key: 'spec.nodeName', operator: 'In', values: ['n,1'] },
            { key: 'a', operator: 'NotIn', values: ['b'] },
          ],
        },
        labelSelector: {
          requirements: [
            { key: 'c', operator: 'In', values: ['e', 'd'] },
            { key: 'f', operator: 'DoesNotExist' },
          ],
        },
      },
      ['spec.nodeName=n\\,1,a!=b', 'c in (d,e),!f'],
    ],
    [
      'of which something is not known',
      {
        fieldSelector: {
          requirements: [
            { key: 'a', operator: 'In', values: ['b'] },
            { key: 'a', operator: 'Exists' },
            { key: 'a', operator: 'Newer', values: ['b'] },
          ],
        },
      },
      ['a=b'],
      PARTLY('fieldSelector'),
    ],
    [
      'whose keys would be read as more',
      {
        fieldSelector: { requirements: [{ key: 'spec.nodeName=n,a', operator: 'In', values: ['b'] }] },
      },
      [],
      IGNORED('fieldSelector'),
    ],
    [
      'that are none',
      { fieldSelector: { rawSelector: 'a' }, labelSelector: { rawSelector: '!!' } },
      [],
      `${IGNORED('fieldSelector')}; ${IGNORED('labelSelector')}`,
    ],
  ];
  for (const [name, selectors, [fields, labels], evaluationError] of rows) {
    test(name, async () => {
      asked.length = 0;
      const spec = { user: 'u', resourceAttributes: { ...POD, ...selectors } };
      const answer = await post(listening, RESOURCE, { body: { metadata: {}, spec } });
      assert.deepEqual([asked[0]?.fieldSelector, asked[0]?.labelSelector, asked[0]?.version], [fields, labels, '*']);
      assert.equal((statusOf(answer) as { evaluationError?: string }).evaluationError, evaluationError);
    });
  }
});
