import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ALL_PLUGINS, choosePlugins, createAdmission, idleDocuments } from './plugins.ts';
import type { AdmissionWorld } from './plugins.ts';
import type { AdmissionChoice } from '../ports/admission-choice.ts';

const names = (choice: AdmissionChoice): string[] => choosePlugins(choice).map(({ name }) => name);

test('upstream has these on, in this order', () => {
  assert.deepEqual(names({}), [
    'NamespaceLifecycle',
    'LimitRanger',
    'ServiceAccount',
    'NodeRestriction',
    'TaintNodesByCondition',
    'PodSecurity',
    'Priority',
    'DefaultTolerationSeconds',
    'DefaultStorageClass',
    'StorageObjectInUseProtection',
    'PersistentVolumeClaimResize',
    'RuntimeClass',
    'CertificateApproval',
    'CertificateSigning',
    'ClusterTrustBundleAttest',
    'CertificateSubjectRestriction',
    'DefaultIngressClass',
    'PodTopologyLabels',
    'NodeDeclaredFeatureValidator',
    'PodResizeValidator',
    'MutatingAdmissionPolicy',
    'MutatingAdmissionWebhook',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionWebhook',
    'ResourceQuota',
  ]);
});

test('every plugin has its place', () => {
  const all = ALL_PLUGINS.map(({ name }) => name);
  assert.equal(new Set(all).size, all.length);
  assert.deepEqual([all[0], all.at(-2), all.at(-1)], ['AlwaysAdmit', 'ResourceQuota', 'AlwaysDeny']);
});

test('what upstream has in its storage cannot be off: requests for certificates are read, and roles granted to nobody', () => {
  const world = { admission: { disable: names({}) } } as unknown as AdmissionWorld;
  assert.deepEqual(
    createAdmission(world).map(({ name }) => name),
    ['CertificateRequests', 'RoleEscalation'],
  );
});

test('chosen ones stand where upstream has them', () => {
  const chosen = names({ enable: ['EventRateLimit', 'AlwaysPullImages'], disable: ['LimitRanger'] });
  assert.equal(chosen.includes('LimitRanger'), false);
  assert.equal(chosen.indexOf('AlwaysPullImages'), chosen.indexOf('PodSecurity') - 1);
});

const REFUSED: readonly (readonly [name: string, choice: AdmissionChoice, message: string])[] = [
  ['unknown', { enable: ['Nobody'] }, 'enable-admission-plugins plugin "Nobody" is unknown'],
  ['unknown, off', { disable: ['constructor'] }, 'disable-admission-plugins plugin "constructor" is unknown'],
  [
    'on and off',
    { enable: ['Priority'], disable: ['Priority'] },
    '[Priority] in enable-admission-plugins and disable-admission-plugins overlapped',
  ],
  [
    'told what it does not understand',
    { configuration: new Map([['Priority', {}]]) },
    'admission plugin "Priority" takes no configuration',
  ],
];

describe('refused', () => {
  for (const [name, choice, message] of REFUSED)
    test(name, () => assert.throws(() => choosePlugins(choice), { message }));
});

test('a document for a plugin that is off is told of', () => {
  const configuration = new Map<string, unknown>([
    ['PodSecurity', undefined],
    ['EventRateLimit', {}],
    ['ResourceQuota', {}],
  ]);
  assert.deepEqual(idleDocuments({ configuration, disable: ['ResourceQuota'] }), ['EventRateLimit', 'ResourceQuota']);
  assert.deepEqual(idleDocuments({ configuration, enable: ['EventRateLimit'] }), []);
  assert.throws(() => idleDocuments({ configuration: new Map([['Nobody', {}]]) }), /takes no configuration/);
});
