import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuleWithOperations, ValidatingWebhook } from '@binnacle/api/admissionregistration/v1';
import { StatusError } from '@binnacle/machinery';
import { admissionOf } from '../../testing/admission.ts';
import type { AdmissionCase } from '../../testing/admission.ts';
import { compileWebhook, matchWebhook } from './webhook-match.ts';

const ANY: RuleWithOperations = {
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*'],
  scope: '*',
};

interface Row {
  readonly name: string;
  readonly given?: Partial<AdmissionCase>;
  readonly rule?: RuleWithOperations;
  readonly hook?: Partial<ValidatingWebhook>;
  /** The version in which it is asked; false: it is not; a text: the refusal. */
  readonly asked: string | false;
}

const pod = { metadata: { namespace: 'a', name: 'p', labels: { app: 'web' } } };
const inNamespace = { namespaceObject: { metadata: { name: 'a', labels: { team: 'x' } } } };
const selectsTeam = { namespaceSelector: { matchLabels: { team: 'x' } } };
const autoscaler = { resource: 'horizontalpodautoscalers.autoscaling', object: pod };

const ROWS: readonly Row[] = [
  { name: 'everything', asked: 'v1' },
  { name: 'another operation', rule: { ...ANY, operations: ['DELETE'] }, asked: false },
  { name: 'its group', rule: { ...ANY, apiGroups: [''] }, asked: 'v1' },
  { name: 'another group', rule: { ...ANY, apiGroups: ['apps'] }, asked: false },
  { name: 'no subresource', given: { resource: 'pods/status' }, asked: false },
  { name: 'all subresources', given: { resource: 'pods/status' }, rule: { ...ANY, resources: ['*/*'] }, asked: 'v1' },
  {
    name: 'its subresource',
    given: { resource: 'pods/status' },
    rule: { ...ANY, resources: ['pods/status'] },
    asked: 'v1',
  },
  {
    name: 'another subresource',
    given: { resource: 'pods/log' },
    rule: { ...ANY, resources: ['pods/status'] },
    asked: false,
  },
  { name: 'cluster scope', rule: { ...ANY, scope: 'Cluster' }, asked: false },
  {
    name: 'namespaces are cluster-scoped',
    given: { resource: 'namespaces' },
    rule: { ...ANY, scope: 'Cluster' },
    asked: 'v1',
  },
  { name: 'no rules', hook: { rules: [] }, asked: false },
  { name: 'its labels', hook: { objectSelector: { matchLabels: { app: 'web' } } }, asked: 'v1' },
  { name: 'other labels', hook: { objectSelector: { matchLabels: { app: 'db' } } }, asked: false },
  {
    name: 'the labels it had',
    given: { operation: 'DELETE', object: undefined, before: pod } as never,
    hook: { objectSelector: { matchLabels: { app: 'web' } } },
    asked: 'v1',
  },
  { name: 'its namespace', given: inNamespace, hook: selectsTeam, asked: 'v1' },
  {
    name: 'another namespace',
    given: inNamespace,
    hook: { namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['x'] }] } },
    asked: false,
  },
  { name: 'a namespace that is gone', hook: selectsTeam, asked: 'namespaces "a" not found' },
  {
    name: 'a namespace itself',
    given: { resource: 'namespaces' },
    hook: { namespaceSelector: { matchLabels: { app: 'web' } } },
    asked: 'v1',
  },
  { name: 'what is in no namespace', given: { resource: 'nodes' }, hook: selectsTeam, asked: 'v1' },
  { name: 'an equivalent version', given: autoscaler, rule: { ...ANY, apiVersions: ['v2'] }, asked: 'v2' },
  {
    name: 'exactly',
    given: autoscaler,
    rule: { ...ANY, apiVersions: ['v2'] },
    hook: { matchPolicy: 'Exact' },
    asked: false,
  },
];

for (const { name, given = {}, rule = ANY, hook = {}, asked } of ROWS) {
  test(name, () => {
    const attributes = admissionOf({ operation: 'CREATE', resource: 'pods', namespace: 'a', object: pod, ...given });
    const versions = [attributes.info, { ...attributes.info, version: 'v2' }];
    const compiled = compileWebhook('c', { name: 'h', rules: [rule], ...hook } as ValidatingWebhook, 0);
    const outcome = (): string | false => {
      try {
        return matchWebhook(compiled, { ...attributes, versions })?.version ?? false;
      } catch (error) {
        if (error instanceof StatusError) return error.message;
        throw error;
      }
    };
    assert.equal(outcome(), asked);
  });
}
