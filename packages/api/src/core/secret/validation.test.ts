import { checkCreate, checkUpdate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const SECRET: Kind = ['', 'Secret', true];

// Provenance: upstream pkg/apis/<group>/validation; the function is named in each row.
checkCreate('secrets', [
  ['right secret', 'ValidateSecret', SECRET, { data: { a: 'eA==' } }],
  [
    'key of a secret',
    'ValidateSecret',
    SECRET,
    { data: { 'a b': 'eA==' } },
    "data[a b]: Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
  ],
  [
    'TLS secret',
    'ValidateSecret',
    SECRET,
    { type: 'kubernetes.io/tls' },
    'data[tls.crt]: Required value',
    'data[tls.key]: Required value',
  ],
  [
    'large secret',
    'ValidateSecret',
    SECRET,
    { data: { a: 'A'.repeat(1_400_000) } },
    'data: Too long: may not be more than 1048576 bytes',
  ],
  [
    'token secret without an account',
    'ValidateSecret',
    SECRET,
    { type: 'kubernetes.io/service-account-token' },
    'metadata.annotations[kubernetes.io/service-account.name]: Required value',
  ],
  [
    'docker configuration',
    'ValidateSecret',
    SECRET,
    { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': '' } },
    'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": unexpected end of JSON input',
  ],
  [
    'login without a name',
    'ValidateSecret',
    SECRET,
    { type: 'kubernetes.io/basic-auth' },
    'data[username]: Required value',
    'data[password]: Required value',
  ],
]);

checkUpdate('secrets', [
  [
    'type of a secret',
    'ValidateSecretUpdate',
    SECRET,
    { type: 'a' },
    { type: 'b' },
    'type: Invalid value: "b": field is immutable',
  ],
  [
    'frozen data',
    'ValidateSecretUpdate',
    SECRET,
    { immutable: true, data: { a: 'eA==' } },
    { immutable: true, data: { a: 'eQ==' } },
    'data: Forbidden: field is immutable when `immutable` is set',
  ],
]);
