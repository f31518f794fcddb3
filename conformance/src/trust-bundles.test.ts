/** Bundles of certificates that anybody may trust: published, attested, and as files in pods that follow them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CLUSTER_TRUST_BUNDLES, EVENTS, isPodReady, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { makeAuthority } from '@binnacle/certificates/node';
import {
  findKubectl,
  kubectlOutput,
  runKubectl,
  skipWithoutContainerd,
  startContainerdCluster,
  waitFor,
} from '@binnacle/testkit';
import type { Kubectl, OneProcessCluster } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const skip = await skipWithoutContainerd();
const LIFE = { notBefore: Date.parse('2026-01-01'), notAfter: Date.parse('2036-01-01') };
const [FIRST, SECOND] = ['first', 'second'].map((name) => makeAuthority(name, LIFE).certificate) as [string, string];
const SIGNER = 'example.com/demo';

describe('trust bundles', { skip }, () => {
  let cluster: OneProcessCluster;
  let kubectl: Kubectl;
  before(async () => {
    kubectl = (await findKubectl()) ?? assert.fail('there is a kubectl on this machine');
    cluster = await startContainerdCluster([
      ...['--feature-gates', 'ClusterTrustBundle=true,ClusterTrustBundleProjection=true'],
      ...['--runtime-config', 'certificates.k8s.io/v1beta1=true'],
    ]);
  });
  after(() => cluster?.stop());

  const publish = async (name: string, trustBundle: string): Promise<void> => {
    await cluster.client.resource(CLUSTER_TRUST_BUNDLES).create({
      metadata: { name: `example.com:demo:${name}`, labels: { use: 'yes' } },
      spec: { signerName: SIGNER, trustBundle },
    });
  };
  const until = async (name: string, what: string, holds: (pod: Pod) => boolean): Promise<void> => {
    await waitFor({
      client: cluster.client,
      resource: PODS,
      namespace: 'default',
      name,
      what: `${name}: ${what}`,
      until: ([pod]) => pod !== undefined && holds(pod),
    });
  };
  const inPod = (name: string, script: string): Promise<string> =>
    kubectlOutput(kubectl, cluster.kubeconfig, ['exec', name, '--', 'sh', '-c', script]);
  const create = async (name: string, sources: readonly object[], ready: string): Promise<void> => {
    await cluster.client.resource(PODS, 'default').create({
      metadata: { name },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'c',
            image: IMAGE,
            imagePullPolicy: 'Never',
            volumeMounts: [{ name: 'trust', mountPath: '/trust' }],
            readinessProbe: { exec: { command: ['sh', '-c', ready] }, periodSeconds: 1 },
          },
        ],
        volumes: [
          { name: 'trust', projected: { sources: sources.map((clusterTrustBundle) => ({ clusterTrustBundle })) } },
        ],
      },
    } as Parameters<ReturnType<typeof cluster.client.resource<Pod>>['create']>[0]);
  };

  test('a pod reads bundles as files, and a file follows what changes', async () => {
    await publish('one', `words that nobody reads\n${FIRST}`);
    const labelSelector = { matchLabels: { use: 'yes' } };
    const sources = [
      { name: 'example.com:demo:one', path: 'one.pem' },
      { signerName: SIGNER, labelSelector, path: 'all.pem' },
      { signerName: SIGNER, optional: true, path: 'unsaid.pem' },
      { signerName: 'kubernetes.io/kube-apiserver-serving', labelSelector: {}, path: 'serving.pem' },
    ];
    await create('reader', sources, 'test $(grep -c BEGIN /trust/all.pem) = 2');
    await until('reader', 'to run', ({ status }) => status?.containerStatuses?.[0]?.state?.running !== undefined);
    assert.equal(await inPod('reader', 'cat /trust/one.pem'), FIRST);
    assert.equal(await inPod('reader', 'cat /trust/all.pem'), FIRST);
    assert.equal(await inPod('reader', 'cat /trust/unsaid.pem'), '');
    // What is published is what every pod is given to know the API server by.
    const own = '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt';
    assert.equal(await inPod('reader', `cmp ${own} /trust/serving.pem && echo same`), 'same\n');
    // Another one of the signer, that repeats the first: each is there once.
    await publish('two', SECOND + FIRST);
    await until('reader', 'to have both', isPodReady);
    assert.equal(await inPod('reader', 'cat /trust/all.pem'), [FIRST, SECOND].toSorted().join(''));
    await cluster.client.resource(CLUSTER_TRUST_BUNDLES).delete('example.com:demo:two');
    await until('reader', 'to have one again', (pod) => !isPodReady(pod));
    assert.equal(await inPod('reader', 'cat /trust/all.pem'), FIRST);
  });

  test('a pod waits for a bundle that is not there, says why, and starts with it', async () => {
    await create('waiter', [{ name: 'later', path: 'ca.pem' }], 'true');
    const why = 'clustertrustbundle.certificates.k8s.io "later" not found';
    await waitFor({
      client: cluster.client,
      resource: EVENTS,
      namespace: 'default',
      what: 'the event that says what is missing',
      until: (events) =>
        events.some(({ reason, message }) => reason === 'FailedMount' && message?.includes(why) === true),
    });
    await cluster.client
      .resource(CLUSTER_TRUST_BUNDLES)
      .create({ metadata: { name: 'later' }, spec: { trustBundle: FIRST } });
    await until('waiter', 'to be ready', isPodReady);
    assert.equal(await inPod('waiter', 'cat /trust/ca.pem'), FIRST);
  });

  test('kubectl shows them, and who may not attest is refused', async () => {
    const table = await kubectlOutput(kubectl, cluster.kubeconfig, ['get', 'clustertrustbundles']);
    assert.match(table, /^NAME +SIGNERNAME\n/);
    assert.match(
      table,
      /^kubernetes\.io:kube-apiserver-serving:[0-9a-f]{24} +kubernetes\.io\/kube-apiserver-serving$/m,
    );
    assert.match(table, /^later +<none>$/m);
    const chosen = await kubectlOutput(kubectl, cluster.kubeconfig, [
      ...['get', 'clustertrustbundles', '--field-selector', `spec.signerName=${SIGNER}`, '-o', 'name'],
    ]);
    assert.equal(chosen, 'clustertrustbundle.certificates.k8s.io/example.com:demo:one\n');
    const as = ['--as', 'mallory'];
    const rights = ['create', 'clusterrole', 'bundler', '--verb=create', '--resource=clustertrustbundles'];
    await kubectlOutput(kubectl, cluster.kubeconfig, rights);
    const binding = ['create', 'clusterrolebinding', 'bundler', '--clusterrole=bundler', '--user=mallory'];
    await kubectlOutput(kubectl, cluster.kubeconfig, binding);
    const document = JSON.stringify({
      apiVersion: 'certificates.k8s.io/v1beta1',
      kind: 'ClusterTrustBundle',
      metadata: { name: 'example.com:demo:mine' },
      spec: { signerName: SIGNER, trustBundle: FIRST },
    });
    const refused = await runKubectl(kubectl, cluster.kubeconfig, ['create', '-f', '-', ...as], document);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /user not permitted to attest for signerName "example\.com\/demo"/);
  });
});
