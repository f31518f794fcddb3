import { strict as assert } from 'node:assert';
import { describe, it, test } from 'node:test';
import { CLUSTER_TRUST_BUNDLES, DEFAULT_FEATURES, RESOURCES_ON_REQUEST } from '@binnacle/api';
import type { ClusterTrustBundle } from '@binnacle/api/certificates/v1beta1';
import { base64ToBytes, certificatePem } from '@binnacle/base';
import { createTestWorld } from '../test-world.ts';
import type { TestWorld } from '../test-world.ts';
import { planPublishing, SIGNER, wantedBundle } from './plan.ts';

const pem = (base64: string): string => certificatePem(base64ToBytes(base64));

/** Two authorities, and a certificate of the first (P-256, 2026 to 2036). */
const A = pem(
  'MIIBhzCCAS2gAwIBAgIQRhRDk1q51Hpy2NNd/3GB+DAKBggqhkjOPQQDAjAMMQowCAYDVQQDEwFhMB4XDTI2MDEwMTAwMDAwMFoXDTM2MDEwMTAwMDAwMFowDDEKMAgGA1UEAxMBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLwJLXhCZPQW/zR10AZ32sC4pALkPBlfUrjK/MAe73NOjxMaEprxZks0LK9lxYV1PwffREClxHKiWDbNUs87qEGjcTBvMA4GA1UdDwEB/wQEAwIBhjAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBS23qCptlu5BRBbPk5yisGDehFlqTAfBgNVHSMEGDAWgBS23qCptlu5BRBbPk5yisGDehFlqTAMBgNVHREEBTADggFhMAoGCCqGSM49BAMCA0gAMEUCIQCUCUaXwczLlweXAvZPrPB9dcwEBkJkDl8Qeb3MHNNxUgIgKlPFNK+Bj2UZ8aeMywjJMFGL0F4MOkU905T+gsUAeCQ=',
);
const B = pem(
  'MIIBhzCCAS2gAwIBAgIQTWzVjqtDf7keZahwjypCyTAKBggqhkjOPQQDAjAMMQowCAYDVQQDEwFiMB4XDTI2MDEwMTAwMDAwMFoXDTM2MDEwMTAwMDAwMFowDDEKMAgGA1UEAxMBYjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDUhr3vJS9x5Zzt/cgBC9o4KJ1biJ496ADTVQ8TDqVyfcYg6TdqqSzfPFYkkEjg+bi+TZC3HAPyubRdOKr/Sz9+jcTBvMA4GA1UdDwEB/wQEAwIBhjAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBRqfPr6Oe8475rO+iCmkgrL6B8BczAfBgNVHSMEGDAWgBRqfPr6Oe8475rO+iCmkgrL6B8BczAMBgNVHREEBTADggFiMAoGCCqGSM49BAMCA0gAMEUCIQDAkooMuvuouWkCdy+ogbi5GOYfqrXDmTaDo7371b4z8gIgDPugjty6dTxP81ownpaOqagQeLwiu8O58+xYdJ3sxsI=',
);
const LEAF = pem(
  'MIIBizCCATGgAwIBAgIQT8ggIbJqzqJcN1EIwbj/gDAKBggqhkjOPQQDAjAMMQowCAYDVQQDEwFhMB4XDTI2MDEwMTAwMDAwMFoXDTM2MDEwMTAwMDAwMFowDDEKMAgGA1UEAxMBeDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABGV72QRR9gk0GSCzT6FSH3svXcN3gloWlN5pDDa4ZTUMXM7vLHIAtML/SdmSAdcd9bdV+LlzzzqB6ekgNE+FwsOjdTBzMA4GA1UdDwEB/wQEAwIHgDATBgNVHSUEDDAKBggrBgEFBQcDAjAMBgNVHRMBAf8EAjAAMB0GA1UdDgQWBBRVMvUJlL6in7HTujQgm1z4BUPUbTAfBgNVHSMEGDAWgBS23qCptlu5BRBbPk5yisGDehFlqTAKBggqhkjOPQQDAgNIADBFAiACH/R528FGC0SbtzXi9fSwRRj23i9+W5LVPPOHmDCteAIhANnkwNAy7n59oa0rR52Oh7b0vz9d+voVL7SvksCWpRrN',
);
const WHICH = ['kube-apiserver-serving-clustertrustbundle-publisher-controller'];
const PREFIX = 'kubernetes.io:kube-apiserver-serving:';

const named = (name: string, trustBundle: string): ClusterTrustBundle => ({
  metadata: { name },
  spec: { signerName: SIGNER, trustBundle },
});

describe('the bundle that there should be', () => {
  it('is called after its content', () => {
    assert.equal(wantedBundle(A)?.metadata.name, `${PREFIX}edb8265fad0b3d834a765d48`);
    assert.notEqual(wantedBundle(B)?.metadata.name, wantedBundle(A)?.metadata.name);
  });
  const rows: readonly (readonly [what: string, given: string, published: string | undefined])[] = [
    ['one authority', A, A],
    ['two, with words between them', `first\n${A}second\n${B}`, `first\n${A}second\n${B}`],
    ['an authority twice', A + B + A, A + B],
    ['a leaf beside it', A + LEAF, A],
    ['a leaf alone', LEAF, undefined],
    ['nothing', '', undefined],
    ['nonsense', 'CA', undefined],
  ];
  for (const [what, given, published] of rows) {
    it(`of ${what}`, () => assert.equal(wantedBundle(given)?.spec.trustBundle, published));
  }
});

describe('what there is to do', () => {
  const wanted = wantedBundle(A) as ClusterTrustBundle;
  const name = wanted.metadata.name ?? '';
  it('it is made where it is missing, and others of the signer go', () => {
    assert.deepEqual(planPublishing(wanted, [named('x', B)]), { create: wanted, remove: ['x'] });
  });
  it('another content under its name is mended', () => {
    assert.deepEqual(planPublishing(wanted, [named(name, B)]), { update: named(name, A), remove: [] });
  });
  it('nothing where all is well', () => {
    assert.deepEqual(planPublishing(wanted, [named(name, A)]), { remove: [] });
  });
});

const features = { ...DEFAULT_FEATURES, ClusterTrustBundle: true };
const start = { rootCA: A, features };
const names = (world: TestWorld): unknown =>
  world.api.objects(CLUSTER_TRUST_BUNDLES).map(({ metadata }) => metadata.name);

test('the authority is published, kept as it is, and takes the place of another one', async () => {
  const world = createTestWorld(1, { start, onRequest: RESOURCES_ON_REQUEST });
  world.api.seed(CLUSTER_TRUST_BUNDLES, named(`${PREFIX}old`, B));
  world.api.seed(CLUSTER_TRUST_BUNDLES, {
    metadata: { name: 'a.b:c:d' },
    spec: { signerName: 'a.b/c', trustBundle: B },
  });
  const process = world.start(WHICH);
  await world.run(1000);
  const own = wantedBundle(A)?.metadata.name ?? '';
  assert.deepEqual(names(world), ['a.b:c:d', own]);
  const client = world.client.resource(CLUSTER_TRUST_BUNDLES);
  const published = await client.get(own);
  await client.update({ ...published, spec: { ...published.spec, trustBundle: B } });
  await world.run(1000);
  assert.equal((await client.get(own)).spec.trustBundle, A);
  await client.delete(own);
  await world.run(1000);
  assert.deepEqual(names(world), ['a.b:c:d', own]);
  // Nothing is written where nothing changes.
  const revision = world.api.revision();
  await world.run(600_000);
  assert.equal(world.api.revision(), revision);
  assert.deepEqual(process.controllers.broken(), []);
  await process.kill();
});

test('killed again and again under a bad network there is one bundle in the end', async () => {
  const world = createTestWorld(7, { start, onRequest: RESOURCES_ON_REQUEST });
  const own = wantedBundle(A)?.metadata.name ?? '';
  let calls = 0;
  const fates = [{ kind: 'lose-request' }, { kind: 'lose-reply' }, { kind: 'delay', ms: 70 }, undefined] as const;
  world.network.faults.call = () => fates[calls++ % fates.length];
  for (let life = 0; life < 12; life++) {
    world.api.seed(CLUSTER_TRUST_BUNDLES, named(life % 2 === 0 ? own : `${PREFIX}${life}`, B));
    const process = world.start(WHICH);
    await world.run(100 + life * 50);
    await process.kill();
  }
  world.network.faults.call = () => undefined;
  const process = world.start(WHICH);
  await world.run(60_000);
  assert.deepEqual(names(world), [own]);
  assert.equal(world.api.objects(CLUSTER_TRUST_BUNDLES)[0]?.spec.trustBundle, A);
  await process.kill();
});

test('without the feature gate, without the kind, and without an authority nothing runs', async () => {
  const onRequest = RESOURCES_ON_REQUEST;
  const off = createTestWorld(1, { start: { rootCA: A }, onRequest });
  const nobody = createTestWorld(1, { start: { rootCA: '', features }, onRequest });
  const unserved = createTestWorld(1, { start });
  for (const world of [off, nobody, unserved]) {
    const process = world.start(WHICH);
    await world.run(1000);
    assert.equal(process.pending, 0);
    assert.deepEqual(
      process.controllers.inspect().flatMap(({ failing }) => failing),
      [],
    );
    if (world !== unserved) assert.deepEqual(names(world), []);
    await process.kill();
  }
});
