import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '@binnacle/base';
import { readEncryptionConfig } from './config.ts';
import { IDENTITY } from './providers.ts';

const KEY = btoa('0123456789abcdef0123456789abcdef');
const HEAD = { kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1' };
const makers = { random: createSeededRandom(1), envelope: () => IDENTITY };

const keyed = (keys: unknown): object => ({ aesgcm: { keys } });
const kms = (more: object): object => ({
  kms: { apiVersion: 'v2', name: 'k', endpoint: 'unix:///run/k.sock', ...more },
});
const one = (resources: unknown, providers: unknown = [{ identity: {} }]): object => ({
  ...HEAD,
  resources: [{ resources, providers }],
});

test('a configuration, seal by seal', () => {
  const rules = readEncryptionConfig(
    one(
      ['secrets', 'configmaps', '*.apps'],
      [
        { secretbox: { keys: [{ name: 'a', secret: KEY }] } },
        {
          aescbc: {
            keys: [
              { name: 'b', secret: KEY },
              { name: 'c', secret: KEY },
            ],
          },
        },
        { identity: {} },
      ],
    ),
    makers,
  );
  assert.deepEqual(
    rules.map(({ resources, seals }) => [resources, seals.map(({ prefix }) => new TextDecoder().decode(prefix))]),
    [
      [
        ['secrets', 'configmaps', '*.apps'],
        ['k8s:enc:secretbox:v1:a:', 'k8s:enc:aescbc:v1:b:', 'k8s:enc:aescbc:v1:c:', ''],
      ],
    ],
  );
});

const BAD: readonly (readonly [config: unknown, message: RegExp])[] = [
  [null, /EncryptionConfiguration: must be an object/],
  [{}, /not a EncryptionConfiguration/],
  [{ ...HEAD, apiVersion: 'v1' }, /not a EncryptionConfiguration of apiserver\.config\.k8s\.io\/v1/],
  [{ ...HEAD, resources: [], more: 1 }, /unknown field "more"/],
  [{ ...HEAD, resources: [] }, /at least one resource/],
  [{ ...HEAD, resources: {} }, /resources: must be a list/],
  [one([]), /must name a resource/],
  [one(['secrets'], []), /must have a provider/],
  [one(['*']), /use '\*\.' for the core API group/],
  [one(['pods/status']), /subresources are not stored/],
  [one(['events.events.k8s.io']), /use 'events'/],
  [one(['*.events.k8s.io']), /use 'events'/],
  [one(['Secrets']), /resource name should not contain capital letters/],
  [one([' secrets']), /must be a resource/],
  [one(['servicenodeportallocations']), /do not have REST API/],
  [one(['deployments.extensions']), /'extensions' group has been removed/],
  [one(['secrets.*']), /the same resource across groups is not supported/],
  [one(['secrets', '*.']), /overlapping resources such as secrets and \*\. in the same resource list/],
  [one(['deployments.apps', '*.*']), /overlapping resources/],
  [one(['secrets', 'secrets.']), /secrets is covered by secrets before it/],
  [one(['secrets', 'secrets']), /secrets is covered by secrets before it/],
  [one(['*.*', 'secrets']), /secrets is covered by \*\.\* before it/],
  [one(['*.', 'secrets']), /secrets is covered by \*\. before it/],
  [one(['*.apps', 'deployments.apps']), /deployments\.apps is covered by \*\.apps before it/],
  [one(['secrets'], [{}]), /exactly one provider/],
  [one(['secrets'], [{ identity: {}, aesgcm: { keys: [] } }]), /exactly one provider/],
  [one(['secrets'], [{ rot13: {} }]), /unknown field "resources\[0\]\.providers\[0\]\.rot13"/],
  [one(['secrets'], [{ kms: { name: 'k' } }]), /KMSv1 is deprecated/],
  [one(['secrets'], [kms({ apiVersion: 'v3' })]), /unsupported apiVersion v3 for KMS provider/],
  [one(['secrets'], [kms({ cachesize: 5 })]), /cachesize is not supported in v2/],
  [one(['secrets'], [kms({ name: 'a:b' })]), /invalid KMS provider name a:b, must not contain ':'/],
  [one(['secrets'], [kms({}), kms({})]), /duplicate KMS provider name k, names must be unique/],
  [one(['secrets'], [kms({ endpoint: '' })]), /endpoint is a mandatory field for a kms/],
  [one(['secrets'], [kms({ endpoint: 'tcp://a:1' })]), /unsupported scheme "tcp" for KMS provider/],
  [one(['secrets'], [kms({ timeout: '0s' })]), /timeout should be a positive value/],
  [one(['secrets'], [kms({ timeout: '0' })]), /timeout should be a positive value/],
  [one(['secrets'], [kms({ timeout: '5' })]), /timeout: time: missing unit in duration "5"/],
  [one(['secrets'], [kms({ timeout: 5 })]), /timeout: must be a duration such as 3s/],
  [one(['secrets'], [kms({ more: 1 })]), /unknown field "resources\[0\]\.providers\[0\]\.kms\.more"/],
  [one(['secrets'], [{ identity: { x: 1 } }]), /unknown field/],
  [one(['secrets'], [keyed([])]), /at least one key/],
  [one(['secrets'], [keyed([{ name: 'a:b', secret: KEY }])]), /name: must be a name without a colon/],
  [one(['secrets'], [keyed([{ name: 'a', secret: '%%' }])]), /secret: must be base64 encoded/],
  [one(['secrets'], [keyed([{ name: 'a', secret: btoa('short') }])]), /has 5 bytes, must have 16, 24, 32/],
  [
    one(
      ['secrets'],
      [
        keyed([
          { name: 'a', secret: KEY },
          { name: 'a', secret: KEY },
        ]),
      ],
    ),
    /a is there twice/,
  ],
  [one(['secrets'], [{ secretbox: { keys: [{ name: 'a', secret: btoa('0123456789abcdef') }] } }]), /must have 32/],
];

test('times of a key service are read as Go reads them', () => {
  const asked: number[] = [];
  const envelope = ({ timeoutMs }: { readonly timeoutMs: number }): typeof IDENTITY => {
    asked.push(timeoutMs);
    return IDENTITY;
  };
  for (const timeout of ['.5s', '1500us', '1m30s', undefined]) {
    readEncryptionConfig(one(['secrets'], [kms(timeout === undefined ? {} : { timeout })]), { ...makers, envelope });
  }
  assert.deepEqual(asked, [500, 1.5, 90_000, 3000]);
  for (const timeout of ['5', '-1s', '', 'soon', '0', 3]) {
    assert.throws(() => readEncryptionConfig(one(['secrets'], [kms({ timeout })]), makers), /\.timeout: /);
  }
});

test('what cannot be followed is refused by its name, and no secret is told', () => {
  for (const [config, message] of BAD) {
    assert.throws(
      () => readEncryptionConfig(config, makers),
      (error: Error) => message.test(error.message) && !error.message.includes(KEY),
      String(message),
    );
  }
});
