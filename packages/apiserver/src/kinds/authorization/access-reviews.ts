import type {
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewStatus,
} from '@binnacle/api/authorization/v1';
import type { PolicyRule } from '@binnacle/api/rbac/v1';
import { status } from '@binnacle/machinery';
import type { FieldError, UserInfo } from '@binnacle/machinery';
import type { RbacIndex } from '../../access/rbac/rbac-index.ts';
import { nodeNameOf } from '../../access/users.ts';
import type { Authorizer, RequestAttributes } from '../../ports/authorization.ts';
import type { Responder } from '../../ports/responder.ts';
import type { Asked } from './validate-review.ts';
import { reviewedFields, reviewedLabels, selectorsProblem } from './review-selectors.ts';
import {
  validateLocalReview,
  validateReviewAttributes,
  validateReviewMetadata,
  validateReviewSelectors,
  validateReviewSubject,
} from './validate-review.ts';

const GROUP = 'authorization.k8s.io';

/** `subjectaccessreviews` and `localsubjectaccessreviews`: whether somebody may do something. */
export function createAccessReviewHandler(authorizer: Authorizer, kind: string): Responder {
  return {
    async handle({ body, namespace }) {
      const review = body as SubjectAccessReview;
      const { spec } = review;
      refuse(kind, [
        ...validateReviewSubject(spec),
        ...validateReviewSelectors(spec.resourceAttributes),
        ...validateReviewMetadata(review, namespace),
        ...(namespace === '' ? [] : validateLocalReview(spec, namespace)),
      ]);
      const user: UserInfo = {
        name: spec.user ?? '',
        groups: spec.groups ?? [],
        ...(spec.uid === undefined ? {} : { uid: spec.uid }),
        ...(spec.extra === undefined ? {} : { extra: spec.extra }),
      };
      const answer = await decide(authorizer, user, spec);
      return { ...review, apiVersion: `${GROUP}/v1`, kind, status: answer };
    },
  };
}

/** `selfsubjectaccessreviews`: whether the caller may do something. */
export function createSelfAccessReviewHandler(authorizer: Authorizer): Responder {
  return {
    async handle({ body, user }) {
      const review = body as SelfSubjectAccessReview;
      refuse('SelfSubjectAccessReview', [
        ...validateReviewAttributes(review.spec),
        ...validateReviewSelectors(review.spec.resourceAttributes),
        ...validateReviewMetadata(review, ''),
      ]);
      const answer = await decide(authorizer, user, review.spec);
      const named = { apiVersion: `${GROUP}/v1`, kind: 'SelfSubjectAccessReview' };
      return { ...review, ...named, status: answer };
    },
  };
}

/** `selfsubjectrulesreviews`: what the caller may do in a namespace, as far as roles say. */
export function createRulesReviewHandler(index: RbacIndex): Responder {
  return {
    handle({ body, user }) {
      const review = body as SelfSubjectRulesReview;
      const namespace = review.spec.namespace ?? '';
      if (namespace === '') throw status.badRequest('no namespace on request');
      const sets = index.ruleSets(user, namespace);
      const rules = sets.flatMap((set) => set.bound.flatMap((bound) => bound.rules));
      const errors = sets.flatMap((set) => set.errors);
      // A node's rights depend on its pods: no list of rules says them.
      if (nodeNameOf(user) !== undefined) errors.push('node authorizer does not support user rule resolution');
      const answer = {
        resourceRules: rules.flatMap(resourceRule),
        nonResourceRules: rules.flatMap(pathRule),
        incomplete: errors.length > 0,
        ...(errors.length === 0 ? {} : { evaluationError: errors.join(', ') }),
      };
      const named = { apiVersion: `${GROUP}/v1`, kind: 'SelfSubjectRulesReview' };
      return Promise.resolve({ ...review, ...named, status: answer });
    },
  };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): object[] {
  if ((resources?.length ?? 0) === 0) return [];
  return [{ verbs, apiGroups, resources, ...(resourceNames === undefined ? {} : { resourceNames }) }];
}

function pathRule({ verbs, nonResourceURLs }: PolicyRule): object[] {
  return (nonResourceURLs?.length ?? 0) === 0 ? [] : [{ verbs, nonResourceURLs }];
}

async function decide(authorizer: Authorizer, user: UserInfo, asked: Asked): Promise<SubjectAccessReviewStatus> {
  const { resourceAttributes: on } = asked;
  const fields = reviewedFields(on?.fieldSelector);
  const labels = reviewedLabels(on?.labelSelector);
  const { decision, reason } = await authorizer.authorize({
    ...attributesOf(user, asked),
    ...(fields.text === '' ? {} : { fieldSelector: fields.text }),
    ...(labels.text === '' ? {} : { labelSelector: labels.text }),
  });
  const evaluationError = selectorsProblem(fields, labels);
  return {
    allowed: decision === 'allow',
    ...(decision === 'deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
    ...(evaluationError === undefined ? {} : { evaluationError }),
  };
}

function attributesOf(user: UserInfo, asked: Asked): RequestAttributes {
  const { resourceAttributes: on, nonResourceAttributes: path } = asked;
  return {
    user,
    verb: on?.verb ?? path?.verb ?? '',
    isResource: on !== undefined,
    path: path?.path ?? '',
    group: on?.group ?? '',
    // Who does not say means all.
    version: on === undefined ? '' : (on.version ?? '') || '*',
    resource: on?.resource ?? '',
    subresource: on?.subresource ?? '',
    namespace: on?.namespace ?? '',
    name: on?.name ?? '',
  };
}

/** Throws 422 with all that is wrong. */
function refuse(kind: string, problems: readonly FieldError[]): void {
  if (problems.length > 0) throw status.invalid({ group: GROUP, kind }, '', problems);
}
