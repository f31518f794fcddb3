import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  containerResourceNameErrors,
  isExtendedResource,
  isIntegerResource,
  isOvercommitAllowed,
  quotaResourceNameErrors,
  resourceNameErrors,
} from './resource-names.ts';

// Rules: upstream pkg/apis/core/helper/helpers.go.
describe('names of resources', () => {
  const kinds: [name: string, extended: boolean, integer: boolean, overcommit: boolean][] = [
    ['cpu', false, false, true],
    ['pods', false, true, true],
    ['hugepages-2Mi', false, false, false],
    ['example.com/gpu', true, true, false],
    ['a.kubernetes.io/b', false, false, true],
    ['requests.example.com/gpu', false, false, false],
  ];
  for (const [name, extended, integer, overcommit] of kinds) {
    it(name, () => {
      const found = [isExtendedResource(name), isIntegerResource(name), isOvercommitAllowed(name)];
      assert.deepEqual(found, [extended, integer, overcommit]);
    });
  }

  const containers: [name: string, errors: number][] = [
    ['memory', 0],
    ['hugepages-1Gi', 0],
    ['example.com/gpu', 0],
    ['storage', 1],
    ['foo', 2],
    ['a b', 2],
  ];
  for (const [name, errors] of containers) {
    it(`of a container: ${name}`, () => assert.equal(containerResourceNameErrors(name).length, errors));
  }

  const quotas: [name: string, errors: number][] = [
    ['requests.cpu', 0],
    ['count/pods', 0],
    ['requests.hugepages-2Mi', 0],
    ['storage', 1],
  ];
  for (const [name, errors] of quotas) {
    it(`of a quota: ${name}`, () => assert.equal(quotaResourceNameErrors(name).length, errors));
  }
});

const NOT_STANDARD = 'must be a standard resource type or fully qualified';
describe('the name of a resource anywhere', () => {
  const rows: readonly [name: string, errors: readonly string[]][] = [
    ['cpu', []],
    ['requests.storage', []],
    ['services.nodeports', []],
    ['hugepages-2Mi', []],
    ['requests.hugepages-2Mi', []],
    ['example.com/gpu', []],
    ['kubernetes.io/whatever', []],
    ['CPU', [NOT_STANDARD]],
    ['gpu', [NOT_STANDARD]],
    ['constructor', [NOT_STANDARD]],
    ['limits.hugepages-2Mi', [NOT_STANDARD]],
    ['count', [NOT_STANDARD]],
    ['requests.example.com/gpu', []],
  ];
  for (const [name, errors] of rows) it(name, () => assert.deepEqual(resourceNameErrors(name), errors));
  it('one that is no name at all has that mistake alone', () => {
    for (const name of ['', 'a b', '__proto__', 'a/b/c', `${'x'.repeat(64)}`, 'UPPER.example/x']) {
      const errors = resourceNameErrors(name);
      assert.ok(errors.length > 0 && !errors.includes(NOT_STANDARD), name);
    }
  });
});
