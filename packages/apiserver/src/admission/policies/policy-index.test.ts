import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MatchResources, NamedRuleWithOperations } from '@binnacle/api/admissionregistration/v1';
import { selectorFromObject, StatusError } from '@binnacle/machinery';
import { admissionOf } from '../../testing/admission.ts';
import type { AdmissionCase } from '../../testing/admission.ts';
import { MemoryCache } from '../../testing/memory-cache.ts';
import { matchCriteria, PolicyIndex } from './policy-index.ts';

const ANY: NamedRuleWithOperations = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] };
const labelled = { metadata: { namespace: 'a', name: 'p', labels: { app: 'web' } } };
const namespaceObject = { metadata: { name: 'a', labels: { team: 'x' } } };

describe('which requests a policy is about', () => {
  type Row = readonly [name: string, match: MatchResources, given: Partial<AdmissionCase>, wanted: string | undefined];
  const rows: readonly Row[] = [
    ['without rules all', {}, {}, 'v1'],
    ['without rules a subresource too', {}, { resource: 'pods/status' }, 'v1'],
    ['by a rule', { resourceRules: [ANY] }, {}, 'v1'],
    ['by none', { resourceRules: [{ ...ANY, resources: ['secrets'] }] }, {}, undefined],
    ['in another version', { resourceRules: [{ ...ANY, apiVersions: ['v2'] }] }, {}, 'v2'],
    ['exactly not', { resourceRules: [{ ...ANY, apiVersions: ['v2'] }], matchPolicy: 'Exact' }, {}, undefined],
    ['excluded', { excludeResourceRules: [ANY] }, {}, undefined],
    ['excluded in another version', { excludeResourceRules: [{ ...ANY, apiVersions: ['v2'] }] }, {}, undefined],
    [
      'exactly not excluded',
      { excludeResourceRules: [{ ...ANY, apiVersions: ['v2'] }], matchPolicy: 'Exact' },
      {},
      'v1',
    ],
    ['excluded goes before included', { resourceRules: [ANY], excludeResourceRules: [ANY] }, {}, undefined],
    ['one name excluded', { excludeResourceRules: [{ ...ANY, resourceNames: ['p'] }] }, {}, undefined],
    ['another name excluded', { excludeResourceRules: [{ ...ANY, resourceNames: ['q'] }] }, {}, 'v1'],
    ['its labels', { objectSelector: { matchLabels: { app: 'web' } } }, {}, 'v1'],
    ['other labels', { objectSelector: { matchLabels: { app: 'db' } } }, {}, undefined],
    [
      'the labels that it had',
      { objectSelector: { matchLabels: { app: 'web' } } },
      { operation: 'DELETE', object: undefined as never, before: labelled },
      'v1',
    ],
    ['its namespace', { namespaceSelector: { matchLabels: { team: 'x' } } }, { namespaceObject }, 'v1'],
    ['another namespace', { namespaceSelector: { matchLabels: { team: 'y' } } }, { namespaceObject }, undefined],
    [
      'a namespace that is not there, where nobody asks for it',
      { namespaceSelector: { matchLabels: { team: 'x' } }, excludeResourceRules: [ANY] },
      {},
      undefined,
    ],
    [
      'a namespace that is not there',
      { namespaceSelector: { matchLabels: { team: 'x' } } },
      {},
      'namespaces "a" not found',
    ],
  ];
  for (const [name, match, given, wanted] of rows) {
    test(name, () => {
      const attributes = admissionOf({ operation: 'CREATE', resource: 'pods', object: labelled, ...given });
      const versions = [attributes.info, { ...attributes.info, version: 'v2' }];
      const criteria = {
        match,
        namespaces: selectorFromObject(match.namespaceSelector ?? {}),
        objects: selectorFromObject(match.objectSelector ?? {}),
      };
      const outcome = (): string | undefined => {
        try {
          return matchCriteria(criteria, { ...attributes, versions })?.version;
        } catch (error) {
          if (error instanceof StatusError) return error.message;
          throw error;
        }
      };
      assert.equal(outcome(), wanted);
    });
  }
});

describe('policies that a binding puts to work', () => {
  const POLICIES = { group: 'admissionregistration.k8s.io', resource: 'policies' };
  const BINDINGS = { group: 'admissionregistration.k8s.io', resource: 'bindings' };
  const policy = (name: string): never => ({ metadata: { name }, spec: {} }) as never;
  const binding = (name: string, policyName: string): never => ({ metadata: { name }, spec: { policyName } }) as never;

  test('come and go with both, by their names', () => {
    const cache = new MemoryCache();
    const index = new PolicyIndex(cache, { policies: 'policies', bindings: 'bindings' });
    const bound = (): string =>
      index.bound.map(({ name, bindings }) => `${name}:${bindings.map((b) => b.name).join('+')}`).join(' ');
    assert.equal(bound(), '');
    cache.put(POLICIES, policy('b'));
    cache.put(BINDINGS, binding('y', 'b'));
    cache.put(BINDINGS, binding('x', 'b'));
    cache.put(BINDINGS, binding('z', 'constructor'));
    cache.put(POLICIES, policy('a'));
    assert.equal(bound(), 'b:x+y');
    cache.put(POLICIES, policy('constructor'));
    cache.put(BINDINGS, binding('y', 'a'));
    assert.equal(bound(), 'a:y b:x constructor:z');
    cache.remove(POLICIES, '', 'b');
    cache.remove(BINDINGS, '', 'z');
    assert.equal(bound(), 'a:y');
  });
});
