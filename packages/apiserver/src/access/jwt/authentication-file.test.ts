import assert from 'node:assert/strict';
import test from 'node:test';
import { AuthenticationConfigError } from '../errors.ts';
import { readAuthenticationFile } from './authentication-file.ts';

const ISSUER = { url: 'https://a.example', audiences: ['c'] };
const USERNAME = { claim: 'sub', prefix: '' };

function file(jwt: readonly object[], more: object = {}): object {
  return { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', jwt, ...more };
}

function issuer(more: object): object {
  return file([{ issuer: { ...ISSUER, ...more }, claimMappings: { username: USERNAME } }]);
}

function mappings(more: object): object {
  return file([{ issuer: ISSUER, claimMappings: { username: USERNAME, ...more } }]);
}

function rules(more: object): object {
  return file([{ issuer: ISSUER, claimMappings: { username: USERNAME }, ...more }]);
}

test('a file as it should be', () => {
  const read = readAuthenticationFile(
    file(
      [
        { issuer: ISSUER, claimMappings: { username: USERNAME } },
        { issuer: { ...ISSUER, url: 'https://b.example' }, claimMappings: { username: { expression: 'claims.sub' } } },
      ],
      { anonymous: { enabled: true, conditions: [{ path: '/livez' }] } },
    ),
  );
  assert.deepEqual([read.jwt.length, read.anonymous], [2, { enabled: true, paths: ['/livez'] }]);
  assert.equal(readAuthenticationFile(file([])).anonymous, undefined);
});

const ROWS: readonly (readonly [name: string, document: object, says: RegExp])[] = [
  [
    'another version',
    { ...file([]), apiVersion: 'v1' },
    /expected AuthenticationConfiguration of apiserver.config.k8s.io\/v1/,
  ],
  ['an unknown field', file([], { oidc: 1 }), /unknown field "oidc"/],
  ['an unknown field within', issuer({ uri: 'x' }), /unknown field "jwt\[0\].issuer.uri"/],
  ['no URL', issuer({ url: '' }), /jwt\[0\].issuer.url: Required value/],
  ['http', issuer({ url: 'http://a.example' }), /URL scheme must be https/],
  ['a query', issuer({ url: 'https://a.example?x=1' }), /must not contain a query/],
  ['a password', issuer({ url: 'https://u:p@a.example' }), /must not contain a username or password/],
  ['our own issuer', issuer({ url: 'https://own' }), /must not overlap with disallowed issuers: \[https:\/\/own\]/],
  ['discovery at the issuer', issuer({ discoveryURL: 'https://a.example' }), /discoveryURL must be different from URL/],
  ['no certificates', issuer({ certificateAuthority: 'x' }), /does not contain any valid certificates/],
  ['no audiences', issuer({ audiences: [] }), /at least one jwt\[\*\].issuer.audiences is required/],
  [
    'several without policy',
    issuer({ audiences: ['a', 'b'] }),
    /audienceMatchPolicy must be MatchAny for multiple audiences/,
  ],
  [
    'an audience twice',
    issuer({ audiences: ['a', 'a'], audienceMatchPolicy: 'MatchAny' }),
    /audiences: Duplicate value: "a"/,
  ],
  ['an egress selector', issuer({ egressSelectorType: 'cluster' }), /egressSelectorType: Forbidden/],
  [
    'an issuer twice',
    file([1, 2].map(() => ({ issuer: ISSUER, claimMappings: { username: USERNAME } }))),
    /jwt: Duplicate value: "https:\/\/a.example"/,
  ],
  [
    'no username',
    mappings({ username: {} }),
    /claimMappings.username: Required value: claim or expression is required/,
  ],
  [
    'no prefix',
    mappings({ username: { claim: 'sub' } }),
    /username.prefix: Required value: prefix is required when claim is set/,
  ],
  [
    'both',
    mappings({ username: { claim: 'sub', prefix: '', expression: 'claims.sub' } }),
    /claim and expression can't both be set/,
  ],
  [
    'a prefix of an expression',
    mappings({ groups: { prefix: 'x', expression: 'claims.g' } }),
    /prefix can't be set when expression is set/,
  ],
  ['a prefix of nothing', mappings({ groups: { prefix: 'x' } }), /non-empty claim name is required when prefix is set/],
  [
    'a uid of both',
    mappings({ uid: { claim: 'a', expression: 'claims.a' } }),
    /claimMappings.uid: .*can't both be set/,
  ],
  [
    'an extra without domain',
    mappings({ extra: [{ key: 'a', valueExpression: "'x'" }] }),
    /must be a domain-prefixed path/,
  ],
  [
    'an extra that is reserved',
    mappings({ extra: [{ key: 'x.k8s.io/a', valueExpression: "'x'" }] }),
    /reserved for Kubernetes use/,
  ],
  [
    'an expression that does not compile',
    mappings({ username: { expression: 'claims.' } }),
    /username.expression: Invalid value: "claims.": compilation failed/,
  ],
  ['an expression of another type', mappings({ username: { expression: '1' } }), /must evaluate to string, not int/],
  ['another variable', mappings({ username: { expression: 'user.username' } }), /undeclared reference to 'user'/],
  [
    'an address that is not confirmed',
    mappings({ username: { expression: 'claims.email' } }),
    /claims.email_verified must be used/,
  ],
  [
    'a rule of nothing',
    rules({ claimValidationRules: [{}] }),
    /claimValidationRules\[0\]: Required value: claim or expression is required/,
  ],
  ['a rule of both', rules({ claimValidationRules: [{ claim: 'a', expression: 'true' }] }), /can't both be set/],
  [
    'a rule that is not true or false',
    rules({ claimValidationRules: [{ expression: "'x'" }] }),
    /must evaluate to bool, not string/,
  ],
  [
    'a field of users that is none',
    rules({ userValidationRules: [{ expression: "user.name == ''" }] }),
    /undefined field 'name'/,
  ],
  [
    'conditions for nobody',
    file([], { anonymous: { enabled: false, conditions: [{ path: '/x' }] } }),
    /enabled should be set to true when conditions are defined/,
  ],
];

for (const [name, document, says] of ROWS) {
  test(`refused: ${name}`, () => {
    assert.throws(
      () => readAuthenticationFile(document, ['https://own']),
      (error) => error instanceof AuthenticationConfigError && says.test(error.message),
    );
  });
}
