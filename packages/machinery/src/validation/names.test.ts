import assert from 'node:assert/strict';
import test from 'node:test';
import * as names from './names.ts';

type Check = (value: string) => string[];
const VALID: [Check, string[]][] = [
  [names.subdomainErrors, ['a', 'a-b.c', '0.1', 'a'.repeat(253)]],
  [names.dnsLabelErrors, ['a', '0-a', 'a'.repeat(63)]],
  [names.dns1035LabelErrors, ['a', 'a-0']],
  [names.qualifiedNameErrors, ['A', 'a_b.c', 'example.com/A', 'orphan']],
  [names.labelValueErrors, ['', 'A', 'a_b.c', 'a'.repeat(63)]],
  [names.configKeyErrors, ['a', 'ca.crt', '.x', '_A-']],
  [names.envVarNameErrors, ['A', 'my.env-name', 'a b']],
  [names.portNameErrors, ['http', 'a-1']],
  [names.pathSegmentErrors, ['system:node', 'a b']],
];
for (const [check, values] of VALID) {
  test(`${check.name} accepts what is valid`, () => {
    for (const value of values) assert.deepEqual(check(value), [], value);
  });
}

// Provenance: pkg/util/validation of upstream's apimachinery, v1.36.
const REFUSED: [Check, string, string[]][] = [
  [names.subdomainErrors, 'a'.repeat(254), ['must be no more than 253 bytes']],
  [
    names.dnsLabelErrors,
    'A',
    [
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [names.dnsLabelErrors, 'a.b', ['must not contain dots']],
  [
    names.dns1035LabelErrors,
    '1a',
    [
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [names.qualifiedNameErrors, '/a', ['prefix part must be non-empty']],
  [names.qualifiedNameErrors, `a/${'b'.repeat(64)}`, ['name part must be no more than 63 bytes']],
  [names.labelValueErrors, 'a'.repeat(64), ['must be no more than 63 bytes']],
  [names.configKeyErrors, '..a', ["must not start with '..'"]],
  [names.envVarNameErrors, '', ['environment variable name must be non-empty']],
  [
    names.envVarNameErrors,
    'A=B',
    ["a valid environment variable name must consist only of printable ASCII characters other than '='"],
  ],
  [names.portNameErrors, 'a--b', ['must not contain consecutive hyphens']],
  [names.portNameErrors, '1', ['must contain at least one letter (a-z)']],
  [names.pathSegmentErrors, 'a/b%', ["may not contain '/'", "may not contain '%'"]],
];
for (const [check, value, errors] of REFUSED) {
  test(`${check.name} refuses ${value.slice(0, 20)}`, () => assert.deepEqual(check(value), errors));
}

test('bytes are counted as UTF-8', () => {
  for (const text of ['a', 'é', '€', '😀', 'a😀€é']) {
    assert.equal(names.byteLength(text), new TextEncoder().encode(text).length);
  }
});
