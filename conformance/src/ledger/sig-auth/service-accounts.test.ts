import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { CONFIG_MAPS, PODS, SERVICE_ACCOUNTS } from '@binnacle/api';
import type { JsonWebKey } from 'node:crypto';
import { eventsSince, requests } from '../api-operations.ts';
import { podOf, untilOne } from '../objects.ts';
import { behaviours } from '../world.ts';

const ROOT_CA = 'kube-root-ca.crt';

behaviours('simulated', 'service accounts', (check) => {
  check(
    '[sig-auth] ServiceAccounts should run through the lifecycle of a ServiceAccount [Conformance]',
    async (world) => {
      const api = requests(world, `/api/v1/namespaces/${world.namespace}/serviceaccounts`);
      const { resourceVersion } = (await api.list()).metadata;
      const label = `sa-${world.namespace}`;
      await api.create({
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'testserviceaccount', labels: { 'test-serviceaccount-static': label } },
      });
      const patched = await api.strategic('testserviceaccount', { automountServiceAccountToken: false });
      assert.equal(patched['automountServiceAccountToken'], false);
      const listed = await api.list(`test-serviceaccount-static=${label}`, '/api/v1/serviceaccounts');
      assert.deepEqual(
        listed.items.map((sa) => [sa.metadata.name, sa['automountServiceAccountToken']]),
        [['testserviceaccount', false]],
      );
      await api.deleteCollection(`test-serviceaccount-static=${label}`);
      await api.missing('testserviceaccount');
      const path = `/api/v1/namespaces/${world.namespace}/serviceaccounts`;
      const labelSelector = `test-serviceaccount-static=${label}`;
      const events = await eventsSince(
        world,
        { path, resourceVersion, labelSelector },
        (all) => all.at(-1)?.type === 'DELETED',
      );
      assert.deepEqual(
        events.map(({ type }) => type),
        ['ADDED', 'MODIFIED', 'DELETED'],
      );
    },
  );

  check('[sig-auth] ServiceAccounts should update a ServiceAccount [Conformance]', async (world) => {
    const api = requests(world, `/api/v1/namespaces/${world.namespace}/serviceaccounts`);
    const made = await api.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'e2e-sa' } });
    const updated = await api.update({ ...made, automountServiceAccountToken: true });
    assert.equal(updated['automountServiceAccountToken'], true);
    assert.equal((await api.get('e2e-sa'))['automountServiceAccountToken'], true);
  });

  check(
    '[sig-auth] ServiceAccounts should guarantee kube-root-ca.crt exist in any namespace [Conformance]',
    async (world) => {
      const maps = world.client.resource(CONFIG_MAPS, world.namespace);
      const has = (what: string, until = (_uid?: string): boolean => true) =>
        untilOne(world, CONFIG_MAPS, {
          name: ROOT_CA,
          what,
          until: (m) => (m.data?.['ca.crt'] ?? '').startsWith('-----BEGIN CERTIFICATE') && until(m.metadata.uid),
        });
      const first = await has('made');
      await maps.delete(ROOT_CA);
      await has('made again', (uid) => uid !== first?.metadata.uid);
      await maps.patch(ROOT_CA, 'merge', { data: { 'ca.crt': '' } });
      const mended = await has('mended');
      assert.equal(mended?.data?.['ca.crt'], first?.data?.['ca.crt']);
    },
  );

  check(
    '[sig-auth] ServiceAccounts should create a serviceAccountToken and ensure a successful TokenReview [Conformance]',
    async (world) => {
      const accounts = world.client.resource(SERVICE_ACCOUNTS, world.namespace);
      const account = await accounts.create({ metadata: { name: 'e2e-sa' } });
      const request = await accounts.subresource<{ status: { token: string } }>('create', 'e2e-sa', 'token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 600, audiences: [] },
      });
      assert.notEqual(request.status.token, '');
      const answer = await world.http('/apis/authentication.k8s.io/v1/tokenreviews', {
        method: 'POST',
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: request.status.token } },
      });
      assert.equal(answer.code, 201);
      const { status } = answer.json<{
        status: { authenticated: boolean; error?: string; user: { username: string; uid: string; groups: string[] } };
      }>();
      assert.equal(status.authenticated, true);
      assert.equal(status.error ?? '', '');
      assert.equal(status.user.username, `system:serviceaccount:${world.namespace}:e2e-sa`);
      assert.equal(status.user.uid, account.metadata.uid);
      assert.deepEqual([...status.user.groups].sort(), [
        'system:authenticated',
        'system:serviceaccounts',
        `system:serviceaccounts:${world.namespace}`,
      ]);
    },
  );

  check('[sig-auth] ServiceAccounts should allow opting out of API token automount [Conformance]', async (world) => {
    const accounts = world.client.resource(SERVICE_ACCOUNTS, world.namespace);
    await accounts.create({ metadata: { name: 'mount' }, automountServiceAccountToken: true });
    await accounts.create({ metadata: { name: 'nomount' }, automountServiceAccountToken: false });
    const rows: [account: string, pod: boolean | undefined, mounted: boolean][] = [
      ['default', undefined, true],
      ['default', true, true],
      ['default', false, false],
      ['mount', undefined, true],
      ['mount', true, true],
      ['mount', false, false],
      ['nomount', undefined, false],
      ['nomount', true, true],
      ['nomount', false, false],
    ];
    for (const [index, [serviceAccountName, automount, mounted]] of rows.entries()) {
      const spec = {
        serviceAccountName,
        ...(automount === undefined ? {} : { automountServiceAccountToken: automount }),
      };
      const pod = await world.client.resource(PODS, world.namespace).create(podOf(`pod-${index}`, spec));
      const mounts = (pod.spec.containers[0]?.volumeMounts ?? []).filter(
        (m) => m.mountPath === '/var/run/secrets/kubernetes.io/serviceaccount',
      );
      assert.equal(mounts.length, mounted ? 1 : 0, `${serviceAccountName}, ${automount}`);
    }
  });

  check('[sig-auth] SubjectReview should support SubjectReview API operations [Conformance]', async (world) => {
    const user = `system:serviceaccount:${world.namespace}:e2e`;
    const resourceAttributes = { verb: 'list', resource: 'configmaps', namespace: world.namespace, version: 'v1' };
    const review = async (
      path: string,
      body: object,
    ): Promise<{ spec: object; status: { allowed: boolean; reason?: string } }> => {
      const answer = await world.http(path, {
        method: 'POST',
        body: { apiVersion: 'authorization.k8s.io/v1', ...body },
      });
      assert.equal(answer.code, 201, answer.text);
      return answer.json();
    };
    const access = await review('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      kind: 'SubjectAccessReview',
      spec: { resourceAttributes, user },
    });
    assert.equal(access.status.allowed, false);
    const local = await review(
      `/apis/authorization.k8s.io/v1/namespaces/${world.namespace}/localsubjectaccessreviews`,
      {
        kind: 'LocalSubjectAccessReview',
        metadata: { namespace: world.namespace },
        spec: { resourceAttributes, user },
      },
    );
    assert.equal(local.status.allowed, false);
    const self = await review('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    });
    assert.equal(self.status.allowed, true);
    const rbac = requests(world, `/apis/rbac.authorization.k8s.io/v1/namespaces/${world.namespace}/rolebindings`);
    await rbac.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'view' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'e2e', namespace: world.namespace }],
    });
    const after = await review('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      kind: 'SubjectAccessReview',
      spec: { resourceAttributes, user },
    });
    assert.equal(after.status.allowed, true, 'once a role allows it');
  });

  check(
    '[sig-auth] ServiceAccounts ServiceAccountIssuerDiscovery should support OIDC discovery of service account issuer [Conformance]',
    async (world) => {
      const token = await world.client
        .resource(SERVICE_ACCOUNTS, world.namespace)
        .subresource<{ status: { token: string } }>('create', 'default', 'token', {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: { expirationSeconds: 600, audiences: ['oidc-discovery-test'] },
        });
      const [head = '', payload = '', signature = ''] = token.status.token.split('.');
      const decode = <T>(part: string): T => JSON.parse(Buffer.from(part, 'base64url').toString()) as T;
      // A service account's own token may read both documents.
      const own = await world.client
        .resource(SERVICE_ACCOUNTS, world.namespace)
        .subresource<{ status: { token: string } }>('create', 'default', 'token', {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: {},
        });
      const configuration = (await world.http('/.well-known/openid-configuration', { token: own.status.token })).json<{
        issuer: string;
        jwks_uri: string;
        id_token_signing_alg_values_supported: string[];
        subject_types_supported: string[];
      }>();
      assert.equal(decode<{ iss: string }>(payload).iss, configuration.issuer);
      assert.match(configuration.jwks_uri, /\/openid\/v1\/jwks$/);
      const header = decode<{ kid: string; alg: string }>(head);
      assert.ok(configuration.id_token_signing_alg_values_supported.includes(header.alg));
      const { keys } = (await world.http('/openid/v1/jwks', { token: own.status.token })).json<{
        keys: (JsonWebKey & { kid: string; alg: string })[];
      }>();
      const key = keys.find((k) => k.kid === header.kid);
      assert.ok(key, 'the key that signed the token');
      const dsaEncoding = header.alg.startsWith('ES') ? { dsaEncoding: 'ieee-p1363' as const } : {};
      const valid = verify(
        'sha256',
        Buffer.from(`${head}.${payload}`),
        { key: createPublicKey({ key, format: 'jwk' }), ...dsaEncoding },
        Buffer.from(signature, 'base64url'),
      );
      assert.equal(valid, true);
      assert.deepEqual(decode<{ aud: string[] }>(payload).aud, ['oidc-discovery-test']);
    },
  );
});
