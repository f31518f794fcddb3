import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { CertificateSigningRequest } from '@binnacle/api/certificates/v1';
import { checkRequestSignature } from '@binnacle/certificates/node';
import { StatusError } from '@binnacle/machinery';
import type { ApiCall, UserInfo } from '@binnacle/machinery';
import { createCertificateRequests, createSubjectRestriction } from '../../../admission/certificate-requests.ts';
import { createCertificateApproval, createCertificateSigning } from '../../../admission/certificate-signers.ts';
import type { Authorizer } from '../../../ports/authorization.ts';
import { openPolicyWith } from '../../../testing/open-policy.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import type { TestServer } from '../../../testing/test-server.ts';

const CSRS = { group: 'certificates.k8s.io', version: 'v1', resource: 'certificatesigningrequests' };
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
const ALICE: UserInfo = { name: 'alice', uid: 'u-1', groups: ['devs'], extra: { team: ['blue'] } };
const APPROVER: UserInfo = { name: 'approver', groups: [] };
const SIGNER: UserInfo = { name: 'signer', groups: [] };

/** `openssl req -new` with a P-256 key, /O=devs/CN=alice, and one of /O=system:masters/O=devs/CN=eve. */
const EC =
  'MIHaMIGBAgEAMB8xDTALBgNVBAoMBGRldnMxDjAMBgNVBAMMBWFsaWNlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE7AldWdjoD8+ZyRA8Tn2ZbIpZbMsEykUp5vcncmqLWDHHtkg0+fx7yzwAOyBUyaP3+uySnufkBzOGYXWuFLOOtaAAMAoGCCqGSM49BAMCA0gAMEUCIDwL42oNhw3kgQQRjUvQklRA6BKkZM8q337Fr/jzvggtAiEA4odh6UfGKIRcT5hpRGjS/4CvOuzs6BjrM8tQaS4bIww=';
const REQUEST = encoded(EC);
const OF_MASTERS = encoded(
  'MIG1MGkCAQAwNjEXMBUGA1UECgwOc3lzdGVtOm1hc3RlcnMxDTALBgNVBAoMBGRldnMxDDAKBgNVBAMMA2V2ZTAqMAUGAytlcAMhAHUa7ivJdHXqHx5t+msNYScN0ISUJHlqDh/dz4INOcd+oAAwBQYDK2VwA0EAgOdus4/bOLVN1GLOuH8/7T9jVfs3Y9zucLF4bS6O1iUOvcnDjSvBCoLPsGr3yNC3pqB+hv35/OdtTEc+HjU0BA==',
);

function encoded(base64: string): string {
  return btoa(`-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----\n`);
}

/** Everybody may do everything, but approve and sign. */
const authorizer: Authorizer = {
  authorize({ resource, verb, name, user }) {
    const isRight =
      resource !== 'signers' ||
      (verb === 'approve' && name === 'kubernetes.io/*' && user === APPROVER) ||
      (verb === 'sign' && name === CLIENT_SIGNER && user === SIGNER);
    return { decision: isRight ? 'allow' : 'noOpinion', reason: '' };
  },
};

function start(): Promise<TestServer> {
  const admission = [
    createCertificateApproval(authorizer),
    createCertificateSigning(authorizer),
    createCertificateRequests(checkRequestSignature),
    createSubjectRestriction(),
  ];
  return startTestServer({ policy: () => openPolicyWith({}, { admission, authorizer }) });
}

type Change = Partial<CertificateSigningRequest['spec']> & { readonly name?: string };

function csr({ name = 'r', ...spec }: Change = {}): object {
  return {
    metadata: { name },
    spec: { request: REQUEST, signerName: CLIENT_SIGNER, usages: ['client auth'], ...spec },
  };
}

let server: TestServer;

async function call(user: UserInfo, what: Partial<ApiCall>): Promise<CertificateSigningRequest> {
  const made = { verb: 'update', resource: CSRS, ...what } as const;
  return (await server.server.clientAs(user).call(made)) as CertificateSigningRequest;
}

async function refusal(user: UserInfo, what: Partial<ApiCall>): Promise<readonly [number, string]> {
  try {
    await call(user, what);
  } catch (error) {
    if (error instanceof StatusError) return [error.httpCode, error.message];
    throw error;
  }
  return [200, ''];
}

const withStatus = (request: CertificateSigningRequest, status: object): object => ({ ...request, status });
const approved = { type: 'Approved', status: 'True', reason: 'Known' };
const denied = { type: 'Denied', status: 'True', reason: 'Unknown' };

describe('requests for certificates', () => {
  before(async () => {
    server = await start();
  });

  test('who asks is who calls, and approves nothing with it', async () => {
    const forged = { ...csr({ username: 'admin', groups: ['system:masters'] }), status: { conditions: [approved] } };
    const made = await call(ALICE, { verb: 'create', body: forged });
    const { username, uid, groups, extra } = made.spec;
    assert.deepEqual(
      { username, uid, groups, extra },
      { username: 'alice', uid: 'u-1', groups: ['devs'], extra: { team: ['blue'] } },
    );
    assert.deepEqual(made.status, {});
  });

  test('what was asked for stays', async () => {
    const made = await call(ALICE, { verb: 'create', body: csr({ name: 'stays' }) });
    const body = {
      ...made,
      metadata: { ...made.metadata, labels: { a: 'b' } },
      spec: { ...made.spec, username: 'eve' },
    };
    const after = await call(ALICE, { name: 'stays', body });
    assert.deepEqual([after.spec, after.metadata.labels], [made.spec, { a: 'b' }]);
  });

  for (const [name, change, code, message] of [
    ['not PEM', { request: btoa('hello') }, 422, 'PEM block type must be CERTIFICATE REQUEST'],
    [
      'a signature that is not its own',
      { request: encoded(EC.slice(0, -9) + 'AAAAA' + EC.slice(-4)) },
      422,
      'spec.request: Invalid value',
    ],
    [
      'the masters, of the signer of clients',
      { request: OF_MASTERS },
      403,
      `use of ${CLIENT_SIGNER} signer with system:masters group is not allowed`,
    ],
  ] as const) {
    test(`refused: ${name}`, async () => {
      const [got, why] = await refusal(ALICE, { verb: 'create', body: csr({ name: 'refused', ...change }) });
      assert.equal(got, code, why);
      assert.ok(why.includes(message), why);
    });
  }

  test('the masters of another signer', async () => {
    const body = csr({ name: 'other', request: OF_MASTERS, signerName: 'example.com/own' });
    assert.equal((await call(ALICE, { verb: 'create', body })).metadata.name, 'other');
  });
});

describe('approving and signing', () => {
  let made: CertificateSigningRequest;
  before(async () => {
    server = await start();
    made = await call(ALICE, { verb: 'create', body: csr() });
  });

  test('a story', async () => {
    const asApproval = { name: 'r', subresource: 'approval' };
    const asStatus = { name: 'r', subresource: 'status' };
    const approving = { ...asApproval, body: withStatus(made, { conditions: [approved], certificate: btoa('x') }) };
    assert.deepEqual(await refusal(ALICE, approving), [
      403,
      `certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to approve requests with signerName "${CLIENT_SIGNER}"`,
    ]);
    await server.clock.advance(1000);
    const after = await call(APPROVER, approving);
    const [condition] = after.status?.conditions ?? [];
    assert.equal(after.status?.certificate, undefined);
    assert.equal(condition?.lastTransitionTime, condition?.lastUpdateTime);
    assert.ok(Date.parse(condition?.lastUpdateTime ?? '') > Date.parse(made.metadata.creationTimestamp ?? ''));

    const [code, why] = await refusal(APPROVER, { ...asApproval, body: withStatus(after, { conditions: [] }) });
    assert.equal(code, 422);
    assert.ok(why.includes('updates may not remove a condition of type "Approved"'), why);

    const chain = btoa('-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n');
    const signing = { ...asStatus, body: withStatus(after, { ...after.status, certificate: chain }) };
    assert.equal(
      (await refusal(APPROVER, signing))[1].split('forbidden: ')[1],
      `user not permitted to sign requests with signerName "${CLIENT_SIGNER}"`,
    );
    const signed = await call(SIGNER, signing);
    assert.equal(signed.status?.certificate, chain);
    assert.deepEqual(signed.status?.conditions, after.status?.conditions);

    const rows: readonly (readonly [string, object, string])[] = [
      ['a certificate is for good', { certificate: btoa('y') }, 'updates may not modify existing certificate content'],
      [
        'a signer does not deny',
        { conditions: [condition, denied] },
        'updates may not add a condition of type "Denied"',
      ],
      ['nor takes back', { conditions: [] }, 'updates may not remove a condition of type "Approved"'],
    ];
    for (const [name, change, message] of rows) {
      const got = await refusal(SIGNER, { ...asStatus, body: withStatus(signed, { ...signed.status, ...change }) });
      assert.equal(got[0], 422, name);
      assert.ok(got[1].includes(message), `${name}: ${got[1]}`);
    }
    const reworded = {
      conditions: [
        { ...condition, reason: 'Other' },
        { type: 'Failed', status: 'True' },
      ],
    };
    const failed = await call(SIGNER, { ...asStatus, body: withStatus(signed, { ...signed.status, ...reworded }) });
    assert.deepEqual(
      failed.status?.conditions?.map(({ reason }) => reason ?? ''),
      ['Known', ''],
    );
  });

  test('a certificate is a chain in PEM', async () => {
    const other = await call(ALICE, { verb: 'create', body: csr({ name: 'chain' }) });
    for (const [certificate, message] of [
      ['hello', 'must contain at least one CERTIFICATE PEM block'],
      ['-----BEGIN KEY-----\nMAA=\n-----END KEY-----\n', 'only CERTIFICATE PEM blocks are allowed, found "KEY"'],
    ] as const) {
      const body = withStatus(other, { certificate: btoa(certificate) });
      const [code, why] = await refusal(SIGNER, { name: 'chain', subresource: 'status', body });
      assert.equal(code, 422);
      assert.ok(why.includes(message), why);
    }
  });
});
