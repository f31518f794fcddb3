import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFailure, HttpConnectError, HttpTimeoutError } from './http-errors.ts';

const AT = { address: '10.0.0.1:443', host: 'web.default.svc', message: 'x' };

const ROWS: readonly [name: string, failure: Parameters<typeof describeFailure>[0], fault: string, why: string][] = [
  ['refused', { ...AT, code: 'ECONNREFUSED' }, 'dial', 'dial tcp 10.0.0.1:443: connect: connection refused'],
  ['no route', { ...AT, code: 'EHOSTUNREACH' }, 'dial', 'dial tcp 10.0.0.1:443: connect: no route to host'],
  ['no name', { ...AT, code: 'ENOTFOUND' }, 'lookup', 'dial tcp: lookup web.default.svc: no such host'],
  [
    'unknown authority',
    { ...AT, code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    'certificate',
    'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  ],
  [
    'another name',
    { ...AT, code: 'ERR_TLS_CERT_ALTNAME_INVALID', names: 'DNS:a.svc, DNS:b.svc, IP Address:127.0.0.1' },
    'certificate',
    'tls: failed to verify certificate: x509: certificate is valid for a.svc, b.svc, not web.default.svc',
  ],
  [
    'no address',
    { ...AT, host: '10.0.0.1', code: 'ERR_TLS_CERT_ALTNAME_INVALID', names: 'DNS:a.svc' },
    'certificate',
    "tls: failed to verify certificate: x509: cannot validate certificate for 10.0.0.1 because it doesn't contain any IP SANs",
  ],
  [
    'no names at all, for somebody else',
    { ...AT, code: 'ERR_TLS_CERT_ALTNAME_INVALID', commonName: 'test' },
    'certificate',
    'tls: failed to verify certificate: x509: certificate is not valid for any names, but wanted to match web.default.svc',
  ],
  [
    'no names at all, but a subject that is called so',
    { ...AT, code: 'ERR_TLS_CERT_ALTNAME_INVALID', commonName: '*.Default.svc' },
    'certificate',
    'tls: failed to verify certificate: x509: certificate relies on legacy Common Name field, use SANs instead',
  ],
  [
    'plain HTTP behind https',
    { ...AT, code: 'ERR_SSL_WRONG_VERSION_NUMBER' },
    'tls',
    'http: server gave HTTP response to HTTPS client',
  ],
  ['closed before the reply', { ...AT, code: 'ECONNRESET', message: 'socket hang up' }, 'cut', 'EOF'],
  [
    'reset',
    { ...AT, code: 'ECONNRESET', message: 'read ECONNRESET' },
    'cut',
    'read tcp 10.0.0.1:443: read: connection reset by peer',
  ],
];

for (const [name, failure, fault, why] of ROWS) {
  test(name, () => assert.deepEqual(describeFailure(failure), { fault, why }));
}

test('the message names method and URL as Go does', () => {
  const call = { method: 'POST', url: 'https://hook.default.svc:443/x?timeout=1s' };
  assert.equal(
    new HttpTimeoutError(call).message,
    'Post "https://hook.default.svc:443/x?timeout=1s": context deadline exceeded',
  );
  const error = new HttpConnectError(call, { fault: 'cut', why: 'EOF' });
  assert.equal(error.message, 'Post "https://hook.default.svc:443/x?timeout=1s": EOF');
  assert.equal(error.fault, 'cut');
});
