import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CLUSTER_ROLES, ROLE_BINDINGS } from '@binnacle/api';
import { createRbacAuthorizer } from '../../access/rbac/rbac-authorizer.ts';
import { RbacIndex } from '../../access/rbac/rbac-index.ts';
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
  ];
  for (const [name, spec, message] of rows) {
    test(name, async () =>
      assert.rejects(async () => post(any, RESOURCE, { body: { metadata: {}, spec } }), { message }),
    );
  }
  test('another namespace than the review’s', async () => {
    const body = { metadata: {}, spec: { user: 'alice', resourceAttributes: POD } };
    await assert.rejects(async () => post(local, RESOURCE, { namespace: 'b', body }), {
      message: 'spec.resourceAttributes.namespace must match namespace: b',
    });
  });
});
