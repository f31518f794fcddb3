import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { RESOURCES_ON_REQUEST } from '@binnacle/api';
import { makeAuthority, issueCertificate } from '@binnacle/certificates/node';
import type { UserInfo } from '@binnacle/machinery';
import { createTrustBundleAttest } from '../../../admission/certificate-signers.ts';
import { encodeBody } from '../../../encode/body.ts';
import { negotiate } from '../../../request/media.ts';
import type { Authorizer } from '../../../ports/authorization.ts';
import { openPolicyWith } from '../../../testing/open-policy.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import type { TestServer } from '../../../testing/test-server.ts';
import { bundleErrors } from './contents.ts';

const ROOT = '/apis/certificates.k8s.io/v1beta1';
const LIFE = { notBefore: 0, notAfter: 1e12 };
const AUTHORITY = makeAuthority('a', LIFE);
const CA = AUTHORITY.certificate;
const OTHER = makeAuthority('b', LIFE).certificate;
const MALLORY: UserInfo = { name: 'mallory', groups: ['system:authenticated'] };

/** Mallory attests for nobody but the signers of example.com. */
const authorizer: Authorizer = {
  authorize({ resource, verb, name, user }) {
    const isRight =
      user.name !== 'mallory' || resource !== 'signers' || (verb === 'attest' && name === 'example.com/*');
    return { decision: isRight ? 'allow' : 'noOpinion', reason: '' };
  },
};

function start(user?: UserInfo): Promise<TestServer> {
  return startTestServer({
    onRequest: RESOURCES_ON_REQUEST,
    policy: () => openPolicyWith({}, { admission: [createTrustBundleAttest(authorizer)], authorizer }),
    ...(user === undefined ? {} : { user }),
  });
}

const bundle = (name: string, trustBundle: string, signerName?: string): object => ({
  apiVersion: 'certificates.k8s.io/v1beta1',
  kind: 'ClusterTrustBundle',
  metadata: { name },
  spec: { ...(signerName === undefined ? {} : { signerName }), trustBundle },
});

const leaf = issueCertificate(AUTHORITY, { commonName: 'x' }, { ...LIFE, client: true });

describe('what a bundle holds', () => {
  const key = '-----BEGIN PRIVATE KEY-----\nAQI=\n-----END PRIVATE KEY-----\n';
  const rows: readonly (readonly [what: string, text: string, errors: readonly string[]])[] = [
    ['two authorities', `${CA} text between them\n${OTHER}`, []],
    ['nothing', '', ['at least one trust anchor must be provided']],
    ['text', 'hello', ['at least one trust anchor must be provided']],
    ['an authority twice', `${CA}${OTHER}${CA}`, ['duplicate trust anchor (indices [0 2])']],
    ['a key', `${CA}${key}`, ['entry 1 has bad block type: PRIVATE KEY']],
    ['headers', CA.replace('-----\n', '-----\nA: b\n\n'), ['entry 0 has PEM block headers']],
    ['no certificate', key.replaceAll('PRIVATE KEY', 'CERTIFICATE'), ['entry 0 does not parse as X.509']],
    [
      'a leaf and a key',
      `${leaf.certificate}${key}`,
      ['entry 0 does not have the CA bit set', 'entry 1 has bad block type: PRIVATE KEY'],
    ],
  ];
  for (const [what, text, errors] of rows) {
    test(what, () => {
      const wanted = errors.map((error) => `spec.trustBundle: Invalid value: "<value omitted>": ${error}`);
      assert.deepEqual(bundleErrors(text).map(String), wanted);
    });
  }

  test('more than a mebibyte', () => {
    const much = `${CA}${' '.repeat(1024 * 1024)}`;
    assert.deepEqual(bundleErrors(much).map(String), [
      'spec.trustBundle: Too long: may not be more than 1048576 bytes',
    ]);
    assert.deepEqual(bundleErrors(`${CA}${'ü'.repeat(1024 * 512)}`).length, 1);
    assert.deepEqual(bundleErrors(`${CA}${'\n'.repeat(1024 * 1024 - CA.length)}`), []);
  });
});

/** What a request is answered, as clients read it. */
async function read(server: TestServer, line: string, accept = ''): Promise<{ readonly [field: string]: unknown }> {
  const { reply } = await server.answer(line, undefined, { accept });
  assert.ok(reply.kind !== 'watch' && reply.kind !== 'stream' && reply.kind !== 'upgrade');
  const { pieces } =
    reply.kind === 'text'
      ? { pieces: [new TextEncoder().encode(String(reply.body))] }
      : await encodeBody(reply, { rendering: negotiate(accept, false), includeObject: '', now: 0 });
  const text = [...pieces].map((piece) => new TextDecoder().decode(piece)).join('');
  return JSON.parse(text) as { readonly [field: string]: unknown };
}

describe('bundles are served where that is asked for', () => {
  let server: TestServer;
  before(async () => {
    server = await start();
    const made = await server.ask(`POST ${ROOT}/clustertrustbundles`, bundle('plain', CA));
    assert.equal(made.code, 201);
    assert.equal((await server.ask(`POST ${ROOT}/clustertrustbundles`, bundle('a.b:c:v1', OTHER, 'a.b/c'))).code, 201);
  });

  test('and nowhere else', async () => {
    const plain = await startTestServer();
    assert.equal((await plain.ask(`GET ${ROOT}/clustertrustbundles`)).code, 404);
    assert.equal((await plain.ask(`GET ${ROOT}`)).code, 404);
    await plain.server.close();
  });

  test('in discovery, behind what is for good', async () => {
    const body = await read(server, `GET ${ROOT}`);
    const [listed] = body['resources'] as { name: string; kind: string; namespaced: boolean; shortNames?: string[] }[];
    assert.deepEqual(
      { ...listed, verbs: undefined },
      {
        name: 'clustertrustbundles',
        singularName: 'clustertrustbundle',
        kind: 'ClusterTrustBundle',
        namespaced: false,
        storageVersionHash: 'v5yhuVertL4=',
        verbs: undefined,
      },
    );
    const group = await read(server, 'GET /apis/certificates.k8s.io');
    assert.deepEqual(
      (group['versions'] as { version: string }[]).map(({ version }) => version),
      ['v1', 'v1beta1'],
    );
  });

  test('in OpenAPI, in words of our own', async () => {
    const body = await read(server, 'GET /openapi/v3/apis/certificates.k8s.io/v1beta1');
    const schemas = (body['components'] as { schemas: Record<string, { description?: string }> }).schemas;
    const described = schemas['io.k8s.api.certificates.v1beta1.ClusterTrustBundle']?.description;
    assert.match(described ?? '', /^ClusterTrustBundle is a set of certificates/);
  });

  test('chosen by their signer, and shown as a table', async () => {
    const of = async (selector: string): Promise<string[]> => {
      const body = await read(server, `GET ${ROOT}/clustertrustbundles?fieldSelector=${selector}`);
      return (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    };
    assert.deepEqual(await of('spec.signerName=a.b/c'), ['a.b:c:v1']);
    assert.deepEqual(await of('spec.signerName='), ['plain']);
    const wrong = await server.ask(`GET ${ROOT}/clustertrustbundles?fieldSelector=spec.trustBundle=x`);
    assert.deepEqual([wrong.code, wrong.body['message']], [400, 'field label not supported: spec.trustBundle']);
    const table = await read(server, `GET ${ROOT}/clustertrustbundles`, 'application/json;as=Table;g=meta.k8s.io;v=v1');
    assert.deepEqual(
      (table['rows'] as { cells: unknown[] }[]).map(({ cells }) => cells),
      [
        ['a.b:c:v1', 'a.b/c'],
        ['plain', '<none>'],
      ],
    );
  });

  test('kept where upstream keeps them', async () => {
    const { kvs } = await server.store.range({ key: '/registry/clustertrustbundles/plain' });
    assert.equal(kvs.length, 1);
  });

  test('a change is looked at as a new one is; what a bundle holds already is believed', async () => {
    const path = `${ROOT}/clustertrustbundles/plain`;
    const patch = (spec: object) =>
      server.ask(`PATCH ${path}`, JSON.stringify({ spec }), { 'content-type': 'application/merge-patch+json' });
    const refused = await patch({ trustBundle: `${CA}${CA}` });
    assert.equal(refused.code, 422);
    assert.match(String(refused.body['message']), /duplicate trust anchor \(indices \[0 1\]\)/);
    assert.match(String((await patch({ signerName: 'a.b/c' })).body['message']), /field is immutable/);
    assert.equal((await patch({ trustBundle: OTHER })).code, 200);
    const { body } = await server.ask(`GET ${path}`);
    const { resourceVersion: _version, ...metadata } = body.metadata;
    const blind = await server.ask(`PUT ${path}`, { ...body, metadata });
    assert.equal(blind.code, 422, 'an update says what it is an update of');
  });
});

describe('who makes a bundle of a signer may attest for it', () => {
  test('by the signer or all of its domain, unless nothing is said anew', async () => {
    const mallory = await start(MALLORY);
    const post = (...args: Parameters<typeof bundle>) =>
      mallory.ask(`POST ${ROOT}/clustertrustbundles`, bundle(...args));
    assert.equal((await post('plain', CA)).code, 201);
    assert.equal((await post('example.com:foo:v1', CA, 'example.com/foo')).code, 201);
    const refused = await post('a.b:c:v1', CA, 'a.b/c');
    assert.deepEqual(
      [refused.code, refused.body['message']],
      [
        403,
        'clustertrustbundles.certificates.k8s.io "a.b:c:v1" is forbidden: user not permitted to attest for signerName "a.b/c"',
      ],
    );
    await mallory.server
      .clientAs({ name: 'admin', groups: [] })
      .call({ verb: 'create', resource: RESOURCES_ON_REQUEST[0] as never, body: bundle('a.b:c:v1', CA, 'a.b/c') });
    const patch = (change: object) =>
      mallory.ask(`PATCH ${ROOT}/clustertrustbundles/a.b:c:v1`, JSON.stringify(change), {
        'content-type': 'application/merge-patch+json',
      });
    assert.equal((await patch({ metadata: { finalizers: ['a.b/c'] } })).code, 200);
    assert.equal((await patch({ metadata: { labels: { a: 'b' } } })).code, 403);
    assert.equal((await patch({ spec: { trustBundle: OTHER } })).code, 403);
  });
});
