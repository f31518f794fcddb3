import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RuleWithOperations, ValidatingWebhook } from '@binnacle/api/admissionregistration/v1';
import { selectorFromObject, StatusError } from '@binnacle/machinery';
import { admissionOf } from '../../testing/admission.ts';
import type { AdmissionCase } from '../../testing/admission.ts';
import { compileWebhook, isInNamespaces, matchRules, matchWebhook } from './webhook-match.ts';

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

describe('the version in which rules want to see a request', () => {
  const ALL = { ...ANY, resources: ['*/*'] };
  const of = (...versions: string[]): RuleWithOperations => ({ ...ALL, apiVersions: versions });
  type Rules = readonly (RuleWithOperations & { readonly resourceNames?: readonly string[] })[];
  const rows: readonly (readonly [name: string, rules: Rules, equivalent: boolean, wanted: string | undefined])[] = [
    ['no rules', [], true, undefined],
    ['what was asked for goes first', [of('v2'), of('v1')], true, 'v1'],
    ['else the first rule that fits', [of('v9'), of('v3'), of('v2')], true, 'v3'],
    ['within a rule the versions in their order', [of('v3', 'v2')], true, 'v2'],
    ['exactly is exactly', [of('v2')], false, undefined],
    ['exactly what was asked for', [of('v1')], false, 'v1'],
    ['by its name', [{ ...ALL, resourceNames: ['q', 'p'] }], true, 'v1'],
    ['by another name', [{ ...ALL, resourceNames: ['q'] }], true, undefined],
    ['no names are all names', [{ ...ALL, resourceNames: [] }], true, 'v1'],
    ['a star is no name', [{ ...ALL, resourceNames: ['*'] }], true, undefined],
    ['a rule that leaves all out', [{}], true, undefined],
    ['a rule without a scope is of any', [{ ...ALL, scope: undefined } as never], true, 'v1'],
    ['in a namespace', [{ ...ALL, scope: 'Namespaced' }], true, 'v1'],
    ['another scope', [{ ...ALL, scope: 'Cluster' }], true, undefined],
    ['a part of another part', [{ ...ALL, resources: ['horizontalpodautoscalers/status/more'] }], true, undefined],
    ['its part', [{ ...ALL, resources: ['*/status'] }], true, 'v1'],
    ['all parts', [{ ...ALL, resources: ['horizontalpodautoscalers/*'] }], true, 'v1'],
    ['itself without its parts', [{ ...ALL, resources: ['horizontalpodautoscalers'] }], true, undefined],
  ];
  for (const [name, rules, equivalent, wanted] of rows) {
    test(name, () => {
      const asked = {
        operation: 'UPDATE',
        resource: 'horizontalpodautoscalers.autoscaling/status',
        object: pod,
      } as const;
      const attributes = admissionOf(asked);
      const versions = ['v1', 'v2', 'v3'].map((version) => ({ ...attributes.info, version }));
      assert.equal(matchRules(rules, { ...attributes, versions }, equivalent)?.version, wanted);
    });
  }
});

describe('whether a namespace is meant', () => {
  const selecting = (matchLabels: { readonly [key: string]: string }) => ({
    namespaces: selectorFromObject({ matchLabels }),
    objects: selectorFromObject({}),
  });
  const team = { metadata: { name: 'a', labels: { team: 'x' } } };
  type Row = readonly [name: string, labels: { readonly [key: string]: string }, given: AdmissionCase, meant: boolean];
  const create = (resource: string, more: Partial<AdmissionCase> = {}): AdmissionCase => ({
    operation: 'CREATE',
    resource,
    namespace: 'a',
    ...more,
  });
  const rows: readonly Row[] = [
    ['all, and nobody looks for it', {}, create('pods'), true],
    ['by its labels', { team: 'x' }, create('pods', { namespaceObject: team }), true],
    ['by other labels', { team: 'y' }, create('pods', { namespaceObject: team }), false],
    ['one without labels', { team: 'x' }, create('pods', { namespaceObject: { metadata: { name: 'a' } } }), false],
    ['what is in none', { team: 'x' }, create('nodes', { namespace: '' }), true],
    ['a new one by the labels that it brings', { team: 'x' }, create('namespaces', { object: team }), true],
    [
      'one that goes by those that it had',
      { team: 'x' },
      { operation: 'DELETE', resource: 'namespaces', before: team },
      true,
    ],
    [
      'one that changes by those that it comes to have',
      { team: 'x' },
      { operation: 'UPDATE', resource: 'namespaces', before: team, object: { metadata: { name: 'a' } } },
      false,
    ],
    ['what another group calls so is in one', { team: 'x' }, create('namespaces.example.com', { object: team }), true],
  ];
  for (const [name, labels, given, meant] of rows) {
    test(name, () => assert.equal(isInNamespaces(selecting(labels), admissionOf(given)), meant));
  }
  test('one that is not there is told where its labels matter', () => {
    assert.throws(() => isInNamespaces(selecting({ team: 'x' }), admissionOf(create('pods'))), {
      message: 'namespaces "a" not found',
    });
  });
});
