import type { KubeObject } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import { openPolicyWith } from '../testing/open-policy.ts';
import type { ResponderRequest } from '../ports/responder.ts';
import { podNamed, PODS_PATH, startTestServer } from '../testing/test-server.ts';

async function start() {
  const asked: ResponderRequest[] = [];
  const admitted: string[] = [];
  const handler = {
    handle(request: ResponderRequest): Promise<KubeObject> {
      asked.push(request);
      return Promise.resolve({ kind: 'Answer', metadata: {} });
    },
  };
  const server = await startTestServer({
    policy: () =>
      openPolicyWith(
        {
          'tokenreviews.authentication.k8s.io': { answer: handler },
          pods: { subresources: { eviction: handler } },
        },
        {
          admission: [
            {
              name: 'Witness',
              handles: () => true,
              admit: ({ operation, info, subresource, name }) =>
                void admitted.push(`${operation} ${info.resource}/${subresource} ${name}`),
            },
          ],
        },
      ),
  });
  return { ...server, asked, admitted };
}

test('a review is decoded, admitted and answered, and stored nowhere', async () => {
  const { ask, asked, admitted, store } = await start();
  const before = store.revision;
  const { code, body } = await ask('POST /apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 't' } });
  assert.deepEqual([code, body.kind], [201, 'Answer']);
  const [request] = asked;
  assert.ok(request !== undefined);
  assert.deepEqual([request.verb, request.info.kind, request.body?.kind], ['create', 'TokenReview', 'TokenReview']);
  assert.deepEqual(admitted, ['CREATE tokenreviews/ ']);
  assert.equal(store.revision, before);
});

test('a subresource gets the body of its own kind', async () => {
  const { ask, asked, admitted } = await start();
  await ask(`POST ${PODS_PATH}`, podNamed('a'));
  admitted.length = 0;
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } };
  assert.equal((await ask(`POST ${PODS_PATH}/a/eviction`, eviction)).code, 201);
  assert.deepEqual([asked[0]?.name, asked[0]?.namespace, asked[0]?.subresource], ['a', 'default', 'eviction']);
  assert.deepEqual(admitted, ['CREATE pods/eviction a']);
});

test('what names another namespace than the URL is refused, whatever it is', async () => {
  const { ask, asked } = await start();
  await ask(`POST ${PODS_PATH}`, podNamed('a'));
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a', namespace: 'zz' } };
  const { code, body } = await ask(`POST ${PODS_PATH}/a/eviction`, eviction);
  const why = 'the namespace of the provided object does not match the namespace sent on the request';
  assert.deepEqual([code, body['message'], asked.length], [400, why, 0]);
});

const REFUSED: readonly [line: string, code: number][] = [
  ['GET /apis/authentication.k8s.io/v1/tokenreviews', 405],
  ['POST /apis/authentication.k8s.io/v1/selfsubjectreviews', 501],
  [`POST ${PODS_PATH}/a/binding`, 501],
  [`PUT ${PODS_PATH}/a/eviction`, 405],
  [`POST ${PODS_PATH}/a/nonsense`, 404],
];

for (const [line, code] of REFUSED) {
  test(`${line} is ${code}`, async () => {
    const { ask } = await start();
    assert.equal((await ask(line, { metadata: {} })).code, code);
  });
}
